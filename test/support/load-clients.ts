import { Pool } from "undici";
import { type RawData, WebSocket } from "ws";

export type Reply = {
  /** 200 over WebSocket. */
  readonly status: number;
  readonly text: string;
  /** `X-Block`, which HTTP alone has. */
  readonly block?: string | undefined;
};
/** `id` is the body's, and nobody else's who asks at the same time. */
export type Ask = (body: string, id: number) => Promise<Reply>;

/** Longer than any deadline of the gateway. */
const CLIENT_TIMEOUT_MS = 15_000;

export class HttpClient {
  readonly #pool: Pool;
  readonly #path: string;

  constructor(url: string, connections: number) {
    const { origin, pathname } = new URL(url);
    this.#path = pathname;
    const timeouts = { headersTimeout: CLIENT_TIMEOUT_MS, bodyTimeout: CLIENT_TIMEOUT_MS };
    this.#pool = new Pool(origin, { connections, ...timeouts });
  }

  readonly ask: Ask = async (body) => {
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", path: this.#path, headers, body } as const;
    const {
      statusCode: status,
      headers: answered,
      body: answer,
    } = await this.#pool.request(request);
    const block = answered["x-block"];
    return {
      status,
      text: await answer.text(),
      block: block === undefined ? block : String(block),
    };
  };

  close(): Promise<void> {
    return this.#pool.close();
  }
}

type Waiting = { resolve: (reply: Reply) => void; reject: (error: Error) => void };

/** One connection, opened again where it was closed. */
export class WsClient {
  readonly #url: string;
  readonly #waiting = new Map<number, Waiting>();
  #opened: Promise<WebSocket> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  readonly ask: Ask = async (body, id) => {
    this.#opened ??= this.#open();
    const socket = await this.#opened;
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#waiting.set(id, { resolve, reject });
    const timer = setTimeout(() => reject(new Error("no answer in time")), CLIENT_TIMEOUT_MS);
    socket.send(body);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  };

  async close(): Promise<void> {
    (await this.#opened)?.close();
  }

  async #open(): Promise<WebSocket> {
    const socket = new WebSocket(this.#url, { maxPayload: 0 });
    socket.on("message", (data: RawData) => {
      const text = String(data);
      const { id } = JSON.parse(text) as { id: number };
      this.#waiting.get(id)?.resolve({ status: 200, text });
    });
    socket.on("close", (code) => {
      this.#opened = undefined;
      for (const { reject } of this.#waiting.values()) reject(new Error(`closed with ${code}`));
    });
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return socket;
  }
}
