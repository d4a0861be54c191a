import { readFileSync, unwatchFile, watchFile } from "node:fs";
import type { Server } from "node:https";
import { createSecureContext } from "node:tls";
import { ConfigError } from "../../config/faults.ts";
import type { Logger } from "../../telemetry/log.ts";

export type TlsFiles = { readonly cert: string; readonly key: string };

/** Asked by stat, because a watch on an inode misses files that are replaced by renaming. */
const LOOK_EVERY_MS = 1000;

/**
 * The certificate chain and key, PEM.
 * @throws ConfigError where they cannot be read, are none, or do not belong together
 */
export function readCertificates({ cert, key }: TlsFiles): { cert: Buffer; key: Buffer } {
  try {
    const pair = { cert: readFileSync(cert), key: readFileSync(key) };
    createSecureContext(pair);
    return pair;
  } catch (cause) {
    const message = `no certificate with its key, PEM: ${(cause as Error).message}`;
    throw new ConfigError([{ path: "server.tls", line: 0, message }], { cause });
  }
}

/**
 * New handshakes use new certificates as soon as their files have changed. While the two files do
 * not belong together (one was replaced, the other not yet) the old pair goes on.
 */
export function followCertificates(
  server: Server,
  files: TlsFiles,
  log: Logger,
): { readonly read: () => void; readonly stop: () => void } {
  const read = () => {
    try {
      server.setSecureContext(readCertificates(files));
      log.info("certificates were read again");
    } catch (error) {
      log.warn({ cause: String(error) }, "certificates could not be read; the old ones stay");
    }
  };
  for (const file of [files.cert, files.key]) watchFile(file, { interval: LOOK_EVERY_MS }, read);
  const stop = () => {
    for (const file of [files.cert, files.key]) unwatchFile(file, read);
  };
  return { read, stop };
}
