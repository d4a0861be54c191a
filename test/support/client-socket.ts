import { WebSocket } from "ws";

/** A client's WebSocket that is subscribed to heads. */
export type ClientSocket = {
  /** The result, or the error. */
  readonly ask: (method: string, ...params: readonly unknown[]) => Promise<unknown>;
  /** The numbers of the blocks that it was told of. */
  readonly heads: readonly number[];
  /** Resolves to the close code. */
  readonly closed: Promise<number>;
  readonly isOpen: () => boolean;
  readonly end: () => void;
};

export async function openClientSocket(url: string): Promise<ClientSocket> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (result: unknown) => void>();
  const heads: number[] = [];
  socket.on("message", (data) => {
    const { id, result, error, params } = JSON.parse(String(data));
    if (params !== undefined) heads.push(Number(params.result.number));
    else {
      waiting.get(id)?.(error ?? result);
      waiting.delete(id);
    }
  });
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  let lastId = 0;
  return {
    ask: (method, ...params) =>
      new Promise((resolve) => {
        lastId += 1;
        waiting.set(lastId, resolve);
        socket.send(JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params }));
      }),
    heads,
    closed,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    end: () => socket.terminate(),
  };
}
