import { WebSocket } from "ws";
import { EXPLORER_ANSWER_BYTES } from "../contract/constants.ts";
import type { WatchEnd, Watched } from "../contract/explorer.ts";

const HANDSHAKE_MS = 10_000;
/** Of one look: whoever wants more subscribes with a client. */
const MOST_MESSAGES = 1000;

export type StreamListener = {
  readonly message: (message: Watched) => void;
  /** Told once. `refused`: the gateway does not take the key. */
  readonly end: (end: WatchEnd, refused: boolean) => void;
};

/**
 * Sends a request to the gateway on this machine over a WebSocket, and tells what comes; `ca` is the gateway's
 * own certificate (PEM), and any name of it is right. Returns what ends it.
 */
export function watchGateway(
  {
    url,
    request,
    ca,
  }: {
    readonly url: string;
    readonly request: string;
    readonly ca?: string | undefined;
  },
  listener: StreamListener,
): () => void {
  const trust =
    ca === undefined
      ? {}
      : { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
  const socket = new WebSocket(url, {
    headers: { "User-Agent": "tollgate-explorer" },
    handshakeTimeout: HANDSHAKE_MS,
    ...trust,
  });
  let left = MOST_MESSAGES;
  let isOver = false;
  const end = (reason: string, refused = false): void => {
    if (isOver) return;
    isOver = true;
    socket.terminate();
    listener.end({ reason }, refused);
  };
  socket.on("open", () => socket.send(request));
  socket.on("message", (data) => {
    if (isOver) return;
    const message = (data as Buffer).toString("utf8", 0, EXPLORER_ANSWER_BYTES);
    listener.message({ message });
    left -= 1;
    if (left === 0) end(`these are ${MOST_MESSAGES} messages, the most that are shown`);
  });
  socket.on("unexpected-response", (_, { statusCode }) => {
    end(`the gateway answered with status ${statusCode}`, statusCode === 401);
  });
  socket.on("error", () => end("the gateway does not answer; see in its log whether it runs"));
  socket.on("close", (code, reason) => {
    end(`the gateway closed the connection: ${code} ${String(reason)}`.trim());
  });
  return () => {
    isOver = true;
    socket.terminate();
  };
}
