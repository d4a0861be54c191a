import { promises as dns, type LookupAddress } from "node:dns";
import { type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "./public-address.ts";

const TIMEOUT_MS = 10_000;

/** The addresses of a host's name; the system's own way to ask outside of tests. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: Resolve = (host) => dns.lookup(host, { all: true });

export type WebhookOptions = {
  /** `console.privateWebhooks`: messages may go to this machine and its own networks. */
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
};

/** Why a message did not arrive, in words for the account's people. */
class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** The fault of a webhook's URL by itself; its name is looked up when something is sent. */
export function webhookFault(text: string, allowPrivate: boolean): string | undefined {
  const form = "write it as https://host/path";
  if (!URL.canParse(text)) return `is no URL; ${form}`;
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return `is no URL of http or https; ${form}`;
  if (username !== "" || password !== "") return "must hold no user or password";
  const isAddress = /^\[|^[\d.]+$/.test(hostname);
  if (!allowPrivate && isAddress && !isPublicAddress(bare(hostname))) return PRIVATE;
  return undefined;
}

const PRIVATE = "leads into a private network, which this gateway sends nothing to";

/**
 * Posts a message; resolves when the receiver has answered 2xx. The connection goes to the very
 * address that was looked at: a name that means something else a moment later leads nowhere.
 * @throws WebhookError
 */
export async function postWebhook(
  url: string,
  message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  { allowPrivate, resolve }: WebhookOptions,
): Promise<void> {
  const { hostname, protocol } = new URL(url);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const addresses = await within(resolve(bare(hostname)), signal);
    const [address] = addresses;
    if (address === undefined) throw new WebhookError("the host's name is not known");
    if (!allowPrivate && !addresses.every((each) => isPublicAddress(each.address))) {
      throw new WebhookError(`the host ${PRIVATE}`);
    }
    const status = await post(url, message, {
      signal,
      lookup: lookupOf(address),
      // A connection that was opened before would not be looked at.
      agent: false,
      request: protocol === "https:" ? requestHttps : requestHttp,
    });
    if (status >= 200 && status < 300) return;
    const redirect = status >= 300 && status < 400 ? "; redirects are not followed" : "";
    throw new WebhookError(`the receiver answered with status ${status}${redirect}`);
  } catch (error) {
    if (error instanceof WebhookError) throw error;
    throw new WebhookError(reasonOf(error, signal), { cause: error });
  }
}

type PostOptions = Pick<RequestOptions, "agent" | "lookup"> & {
  readonly signal: AbortSignal;
  readonly request: typeof requestHttp;
};

/** Resolves to the status; what the receiver says beside it is not read. */
function post(
  url: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  { request: open, ...options }: PostOptions,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = open(url, {
      ...options,
      method: "POST",
      headers: {
        ...headers,
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        "User-Agent": "tollgate-webhook/1",
      },
    });
    request.once("response", (response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** Gives the address that was looked at, whatever the name means by now. */
function lookupOf({ address, family }: LookupAddress): LookupFunction {
  return (_, options, done) => {
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

/** A look-up cannot be ended; nobody waits for it any longer. */
function within<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    promise.then(resolve, reject);
  });
}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");

/** The system's codes alone: its texts hold addresses. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `the receiver did not answer within ${TIMEOUT_MS / 1000} s`;
  const code = String((error as { code?: unknown }).code ?? "");
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the host's name is not known";
  if (code === "ECONNREFUSED") return "the receiver refused the connection";
  if (/CERT|TLS|SSL|SIGNATURE/.test(code))
    return `the receiver's certificate is not good (${code})`;
  return `the receiver cannot be reached${code === "" ? "" : ` (${code})`}`;
}
