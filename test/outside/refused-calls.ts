import { JsonRpcProvider, WebSocketProvider } from "ethers";
import { BaseError, createPublicClient, http, webSocket } from "viem";

/** What surfaces of a refused call in a program that uses the library as it is. */
export type SeenRefusal = {
  /** The error's name (viem), or its code (ethers). */
  readonly error: string;
  /** The JSON-RPC code or HTTP status that it carries; absent where it carries none. */
  readonly code?: number | undefined;
  /** All that it says. */
  readonly text: string;
};
type Sent = { readonly method: string; readonly params: readonly unknown[] };
/** Rejects where the call was served, or failed with anything but the library's own error. */
export type SendRefused = (url: string, call: Sent) => Promise<SeenRefusal>;

export const sendByViem: SendRefused = async (url, call) => {
  const client = createPublicClient({
    transport: url.startsWith("http") ? http(url) : webSocket(url, { reconnect: false }),
  });
  const seen = await client.request(call as Parameters<typeof client.request>[0]).catch((e) => e);
  if (!(seen instanceof BaseError)) throw new Error(`viem: ${String(seen)}`);
  const { code } = seen as { code?: number };
  return { error: seen.name, code, text: seen.message };
};

/**
 * ethers is told its chain: by default it asks for the chain id first, and where that is refused
 * it tries again every second and never says more than that on the console.
 */
export const sendByEthers: SendRefused = async (url, { method, params }) => {
  const options = { staticNetwork: true };
  const provider = url.startsWith("http")
    ? new JsonRpcProvider(url, 1, options)
    : new WebSocketProvider(url, 1, options);
  const sent = provider.send(method, [...params]);
  // Where the upgrade is refused a call never ends: the socket's own error is all that there is.
  const seen = await Promise.race([sent, upgradeRefused(provider)]).catch((error) => error);
  await provider.destroy();
  if (!(seen instanceof Error)) throw new Error(`ethers: ${String(seen)}`);
  const { code, response, error, info } = seen as Error & Particulars;
  return {
    error: code ?? "of the socket",
    code: (error ?? info?.error)?.code ?? response?.statusCode,
    text: info === undefined ? seen.message : `${seen.message}\n${JSON.stringify(info)}`,
  };
};

type Particulars = {
  readonly code?: string;
  readonly response?: { readonly statusCode: number };
  readonly error?: { readonly code: number } | null;
  readonly info?: { readonly error?: { readonly code: number } };
};

function upgradeRefused(provider: JsonRpcProvider | WebSocketProvider): Promise<never> {
  return new Promise((_, reject) => {
    if (!(provider instanceof WebSocketProvider)) return;
    provider.websocket.onerror = ({ error }: { error: Error }) => reject(error);
  });
}
