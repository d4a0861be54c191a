import type { IncomingHttpHeaders } from "node:http";
import { type RawData, WebSocket } from "ws";

export type Client = {
  readonly socket: WebSocket;
  readonly send: (message: string | Buffer, binary?: boolean) => void;
  /** Every text message so far. */
  readonly messages: readonly string[];
  /** Resolves once that many have come. @throws where the socket is closed before */
  readonly received: (count: number) => Promise<readonly string[]>;
  readonly closed: Promise<{ code: number; reason: string }>;
};

/** Resolves once the socket is open. @throws where the upgrade is refused */
export async function connect(url: string): Promise<Client> {
  const socket = new WebSocket(url, { maxPayload: 0 });
  const messages: string[] = [];
  let wake = (): void => undefined;
  socket.on("message", (data: RawData) => {
    messages.push(String(data));
    wake();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once("close", (code, reason) => {
      resolve({ code, reason: String(reason) });
      wake();
    }),
  );
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => undefined);
  const received = async (count: number): Promise<readonly string[]> => {
    while (messages.length < count) {
      if (socket.readyState === WebSocket.CLOSED) throw new Error("closed");
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return messages;
  };
  const send = (message: string | Buffer, binary = false) => socket.send(message, { binary });
  return { socket, send, messages, received, closed };
}

export type Refusal = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly answer: unknown;
};

/** The HTTP answer to an upgrade that is refused. @throws where it is not */
export function refused(url: string, headers: Record<string, string> = {}): Promise<Refusal> {
  const socket = new WebSocket(url, { headers });
  return new Promise((resolve, reject) => {
    socket.once("open", () => {
      socket.terminate();
      reject(new Error("the upgrade was accepted"));
    });
    socket.once("error", reject);
    socket.once("unexpected-response", (_request, response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += String(chunk);
      });
      response.on("end", () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, headers: answered, answer: JSON.parse(text) });
      });
    });
  });
}
