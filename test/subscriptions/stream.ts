import { once } from "node:events";
import { WebSocket } from "ws";

export type Told = {
  /** Of a slot network, a number. */
  readonly subscription: string | number;
  readonly result: Readonly<Record<string, unknown>>;
  readonly cursor?: string;
};

type Answer = { readonly id: number; readonly result?: unknown; readonly error?: unknown };

/** A client on a WebSocket that subscribes, and keeps what it is told. */
export class StreamClient {
  readonly told: Told[] = [];
  readonly socket: WebSocket;
  readonly #answers = new Map<number, (answer: Answer) => void>();
  readonly #watchers = new Set<() => void>();
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #onTold: (told: Told) => void;
  #nextId = 1;

  private constructor(socket: WebSocket, onTold: (told: Told) => void) {
    this.socket = socket;
    this.#onTold = onTold;
    socket.on("message", (data) => this.#received(JSON.parse(String(data))));
    this.closed = new Promise((resolve) => {
      socket.once("close", (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  /** `onTold` is called for each notification. */
  static async open(
    url: string,
    onTold: (told: Told) => void = () => undefined,
  ): Promise<StreamClient> {
    const socket = new WebSocket(url);
    const client = new StreamClient(socket, onTold);
    await once(socket, "open");
    return client;
  }

  ask(method: string, params: unknown): Promise<Answer> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** @throws with the error where it is refused */
  async subscribe(...params: readonly unknown[]): Promise<string> {
    const { result, error } = await this.ask("eth_subscribe", params);
    if (typeof result !== "string") throw new Error(JSON.stringify(error));
    return result;
  }

  /** The same in a slot network. */
  async subscribeTo(method: string, ...params: readonly unknown[]): Promise<number> {
    const { result, error } = await this.ask(method, params);
    if (typeof result !== "number") throw new Error(JSON.stringify(error));
    return result;
  }

  /** Of one subscription, in order. */
  of(id: string | number): Told[] {
    return this.told.filter(({ subscription }) => subscription === id);
  }

  /** Once there are so many of it. */
  async until(id: string | number, count: number): Promise<Told[]> {
    while (this.of(id).length < count) {
      await new Promise<void>((resolve) => {
        this.#watchers.add(resolve);
      });
    }
    return this.of(id);
  }

  end(): void {
    this.socket.terminate();
  }

  #received(message: Answer & { readonly params?: Told }): void {
    if (message.params === undefined) {
      this.#answers.get(message.id)?.(message);
      this.#answers.delete(message.id);
    } else {
      this.told.push(message.params);
      this.#onTold(message.params);
    }
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }
}
