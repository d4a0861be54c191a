import { readFileSync } from "node:fs";
import { createSecureContext, type SecureContext } from "node:tls";

/** How a server is reached, beside its address. */
export type Way = {
  /** Paths of PEM files: the client's certificate and its key, and who is trusted in place of the CAs that Node knows. */
  readonly tls?:
    | {
        readonly cert?: string | undefined;
        readonly key?: string | undefined;
        readonly ca?: string | undefined;
      }
    | undefined;
  /** An HTTP proxy that opens tunnels: `http://host:port`, with a user and a password before the host where it asks for them. */
  readonly proxy?: string | undefined;
};

/** The files of `tls` are no certificate with its key. Its text has nothing of what is in them. */
export class TlsFilesError extends Error {}

/** What TLS connections have in common. @throws TlsFilesError */
export function secureContextOf({ tls = {} }: Way): SecureContext {
  const { cert, key, ca } = tls;
  try {
    return createSecureContext({
      ...(cert !== undefined && { cert: readFileSync(cert) }),
      ...(key !== undefined && { key: readFileSync(key) }),
      ...(ca !== undefined && { ca: readFileSync(ca) }),
    });
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    throw new TlsFilesError(`the files of tls cannot be used: ${code}`, { cause: error });
  }
}
