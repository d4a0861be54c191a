import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import {
  deliverHttp,
  deliverMessage,
  endWith,
  isRefusal,
  type Link,
  refusalText,
} from "./fault-delivery.ts";
import { type Ask, type Fields, type RpcCall, shownBy, type View, viewFor } from "./fault-views.ts";
import { type Fault, GARBAGE, NONE, PAGE } from "./faults.ts";

/** Stands before a real node, over HTTP and WebSocket on one port, and does to it what it is told. */
export type FaultProxy = {
  readonly url: string;
  readonly wsUrl: string;
  readonly fault: () => Fault;
  /** From now on; also for the connections that are open. @throws where the node does not answer */
  readonly set: (fault: Fault) => Promise<void>;
  /** Calls that it got since it was started, by method, whatever became of them. */
  readonly calls: ReadonlyMap<string, number>;
  /** Their sum, of some methods or of all. */
  readonly count: (isCounted?: (method: string) => boolean) => number;
  /** Hashes and numbers of blocks and transactions that its node has shown to exist. */
  readonly shown: ReadonlySet<string>;
  /** Connections that it has open with clients. */
  readonly connections: () => number;
  readonly stop: () => Promise<void>;
};

type Node = { readonly url: string; readonly wsUrl: string };

export async function startFaultProxy(node: Node): Promise<FaultProxy> {
  const proxy = new ProxyServer(node);
  const port = await proxy.listen();
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    fault: () => proxy.fault,
    set: (fault) => proxy.set(fault),
    calls: proxy.calls,
    count: (isCounted = () => true) => {
      const counted = [...proxy.calls].filter(([method]) => isCounted(method));
      return counted.reduce((sum, [, calls]) => sum + calls, 0);
    },
    shown: proxy.shown,
    connections: () => proxy.sockets.size,
    stop: () => proxy.stop(),
  };
}

const SUBSCRIPTION = /^eth_(?:un)?subscribe$/;
/** Ids that no client of a test ever uses. */
const WRONG_BY = 1_000_000_007;
/** Of how much of an answer it is recorded what it shows. */
const LARGEST_RECORDED = 1_000_000;

class ProxyServer {
  fault: Fault = NONE;
  readonly calls = new Map<string, number>();
  readonly shown = new Set<string>();
  readonly sockets = new Set<Socket>();
  readonly #node: Node;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer({ requestTimeout: 0, keepAliveTimeout: 0, headersTimeout: 0 });
  readonly #webSockets = new WebSocketServer({ noServer: true, autoPong: false, maxPayload: 0 });
  #view: View | undefined;

  constructor(node: Node) {
    this.#node = node;
    this.#server.on("request", (from, to) => this.#onRequest(from, to));
    this.#server.on("upgrade", (from, socket) => this.#onUpgrade(from, socket));
    this.#server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
      socket.on("error", () => undefined);
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async set(fault: Fault): Promise<void> {
    const view = await viewFor(fault, this.#ask);
    this.fault = fault;
    this.#view = view;
    if (fault.kind === "other-chain") for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    this.#agent.destroy();
    await closed;
  }

  #onRequest(from: IncomingMessage, to: ServerResponse): void {
    const chunks: Buffer[] = [];
    from.on("data", (chunk: Buffer) => chunks.push(chunk));
    from.on("end", async () => {
      const { fault } = this;
      try {
        const answer = await this.#answer(Buffer.concat(chunks), fault);
        if (answer === undefined) return;
        if (answer.status !== 200) endWith(to, answer.status, answer.text);
        else deliverHttp(to, answer.text, fault);
      } catch {
        // The node is gone, or dropped the call: so does the way to it.
        to.socket?.resetAndDestroy();
      }
    });
  }

  #onUpgrade(from: IncomingMessage, socket: Duplex): void {
    const raw = socket as Socket;
    const { fault } = this;
    if (fault.kind === "half-open") raw.resume();
    else if (fault.kind === "reset") raw.resetAndDestroy();
    else if (isRefusal(fault) || fault.kind === "garbage") raw.end(refusedUpgrade(fault));
    else {
      const accept = () =>
        this.#webSockets.handleUpgrade(from, socket, Buffer.alloc(0), (open) =>
          this.#onOpen({ socket: open, raw }),
        );
      if (fault.kind === "latency") setTimeout(accept, fault.ms);
      else accept();
    }
  }

  #onOpen(link: Link): void {
    const { socket } = link;
    const upstream = new Subscriptions(this.#node.wsUrl, {
      onNotice: (text) => void this.#tell(link, text).catch(() => socket.terminate()),
      onEnd: () => socket.terminate(),
    });
    socket.on("error", () => undefined);
    socket.on("close", () => upstream.close());
    socket.on("ping", (data) => {
      if (this.fault.kind !== "half-open") socket.pong(data);
    });
    socket.on("message", (data) => {
      const { fault } = this;
      const answered = this.#answer(Buffer.from(String(data)), fault, upstream);
      const delivered = answered.then((answer) => {
        if (answer !== undefined) deliverMessage(link, answer.text, fault);
      });
      // As over HTTP: where the node is gone, so is the way to it.
      delivered.catch(() => socket.terminate());
    });
  }

  async #tell(link: Link, text: Buffer): Promise<void> {
    const told = await this.#notice(text);
    if (told !== undefined) deliverMessage(link, told, this.fault);
  }

  /** undefined where the client gets none. @throws where the node does not answer */
  async #answer(
    body: Buffer,
    fault: Fault,
    subscriptions?: Subscriptions,
  ): Promise<{ status: number; text: Buffer } | undefined> {
    const asked = JSON.parse(String(body)) as RpcCall | RpcCall[];
    const calls = Array.isArray(asked) ? asked : [asked];
    for (const { method } of calls) this.calls.set(method, (this.calls.get(method) ?? 0) + 1);
    if (fault.kind === "half-open" || fault.kind === "hang") return undefined;
    if (isRefusal(fault)) {
      return { status: 200, text: Buffer.from(refusalText(fault, calls[0]?.id)) };
    }
    const [only] = calls;
    if (subscriptions !== undefined && only !== undefined && SUBSCRIPTION.test(only.method)) {
      return { status: 200, text: await subscriptions.ask(body) };
    }
    if (this.#view !== undefined) {
      const answers = await Promise.all(calls.map((call) => this.#seen(call, this.#view)));
      const all = Array.isArray(asked) ? answers : answers[0];
      return { status: 200, text: Buffer.from(JSON.stringify(all)) };
    }
    const { status, text } = await this.#forward(body);
    if (only !== undefined && !Array.isArray(asked)) this.#record(only, text);
    return { status, text: fault.kind === "wrong-id" ? withWrongId(text) : text };
  }

  async #seen(call: RpcCall, view: View | undefined): Promise<object> {
    const { id = null, method, params = [] } = call;
    const answer = view?.answer({ method, params }) ?? this.#ask(method, params);
    return { jsonrpc: "2.0", id, ...(await answer) };
  }

  readonly #ask: Ask = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const { text } = await this.#forward(Buffer.from(body));
    const { jsonrpc: _, id: __, ...answer } = JSON.parse(String(text));
    return answer;
  };

  #record(call: RpcCall, text: Buffer): void {
    if (text.length > LARGEST_RECORDED) return;
    for (const each of shownBy(call, JSON.parse(String(text)))) this.shown.add(each);
  }

  /** A subscription's message as the client is to have it. */
  async #notice(text: Buffer): Promise<Buffer | undefined> {
    const { kind } = this.fault;
    if (kind === "half-open" || kind === "hang") return undefined;
    const message = JSON.parse(String(text)) as { params: { result: Fields } & Fields };
    const { result } = message.params;
    if (this.#view === undefined) {
      for (const each of [result["hash"], result["number"]]) this.shown.add(String(each));
      return text;
    }
    const seen = await this.#view.head(result);
    if (seen === undefined) return undefined;
    return Buffer.from(JSON.stringify({ ...message, params: { ...message.params, result: seen } }));
  }

  #forward(body: Buffer): Promise<{ status: number; text: Buffer }> {
    const headers = { "content-type": "application/json", "content-length": body.length };
    return new Promise((resolve, reject) => {
      const out = request(this.#node.url, { method: "POST", agent: this.#agent, headers });
      out.on("error", reject);
      out.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks) }),
        );
      });
      out.end(body);
    });
  }
}

function withWrongId(text: Buffer): Buffer {
  const answer = JSON.parse(String(text)) as { id: unknown };
  return Buffer.from(JSON.stringify({ ...answer, id: Number(answer.id) + WRONG_BY }));
}

/** The whole HTTP answer to an upgrade. */
function refusedUpgrade(fault: Fault): string {
  if (fault.kind === "garbage") return `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${GARBAGE}`;
  if (fault.kind === "unavailable-page") {
    return `HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n${PAGE}`;
  }
  const status = fault.kind === "status" ? fault.status : 500;
  const wait = fault.kind === "status" && fault.retryAfter;
  const retryAfter = wait ? `Retry-After: ${wait}\r\n` : "";
  return `HTTP/1.1 ${status} Refused\r\n${retryAfter}Connection: close\r\n\r\n`;
}

type SubscriptionParts = {
  readonly onNotice: (text: Buffer) => void;
  /** The node ended the connection, or could not be reached. */
  readonly onEnd: () => void;
};

/** The node's own WebSocket behind one of a client, opened with the first subscription. */
class Subscriptions {
  readonly #url: string;
  readonly #parts: SubscriptionParts;
  readonly #waiting = new Map<string, (text: Buffer) => void>();
  #opened: Promise<WebSocket> | undefined;
  #socket: WebSocket | undefined;

  constructor(url: string, parts: SubscriptionParts) {
    this.#url = url;
    this.#parts = parts;
  }

  /** Never resolves where the node ends the connection: then so does the client's. */
  async ask(body: Buffer): Promise<Buffer> {
    this.#opened ??= this.#open();
    const socket = await this.#opened;
    const { id } = JSON.parse(String(body)) as RpcCall;
    return new Promise((resolve) => {
      this.#waiting.set(JSON.stringify(id), resolve);
      socket.send(body, { binary: false });
    });
  }

  close(): void {
    this.#socket?.terminate();
  }

  #open(): Promise<WebSocket> {
    const socket = new WebSocket(this.#url, { maxPayload: 0 });
    this.#socket = socket;
    socket.on("error", () => undefined);
    socket.on("close", this.#parts.onEnd);
    socket.on("message", (data) => {
      const text = Buffer.from(String(data));
      const { id } = JSON.parse(String(text)) as RpcCall;
      if (id === undefined) this.#parts.onNotice(text);
      else this.#waiting.get(JSON.stringify(id))?.(text);
    });
    return new Promise((resolve) => socket.once("open", () => resolve(socket)));
  }
}
