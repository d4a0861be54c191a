import { EventEmitter } from "node:events";
import type { OnReadOpts, Socket, TcpNetConnectOpts } from "node:net";
import type { InAir } from "../../../src/transports/transport.ts";
import type { UpstreamAnswer } from "../../../src/transports/upstream-answer.ts";
import type { Outside } from "../../../src/wire/event-loop.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { SimulatedNode } from "../simulated-node.ts";
import type { VirtualTime } from "../virtual-time.ts";

type Parts = { readonly time: VirtualTime; readonly random: SeededRandom };
/** A node waits for as long as it takes: who asks has a deadline. */
const NO_DEADLINE_MS = 1e7;
const LONGEST_PIECE_MS = 2;

/** The ways from one gateway to its nodes, which speak HTTP over streams of bytes. */
export class NodeStreams {
  readonly #nodes: ReadonlyMap<string, SimulatedNode>;
  readonly #parts: Parts;
  readonly #open = new Set<NodeStream>();

  constructor(nodes: readonly SimulatedNode[], parts: Parts) {
    this.#nodes = new Map(nodes.map((node) => [node.options.name, node]));
    this.#parts = parts;
    for (const node of nodes) {
      node.onBreak = () => this.#each(node, (stream) => stream.reset());
      node.connection.onBroken = () => this.#each(node, (stream) => stream.endIdle());
    }
  }

  /** As net.connect does; the host is a node's name. */
  readonly connect = ((options: TcpNetConnectOpts & { readonly onread: OnReadOpts }) => {
    const node = this.#nodes.get(options.host ?? "");
    if (node === undefined) throw new Error(`there is no node ${options.host}`);
    const stream = new NodeStream(node, options.onread, this.#parts);
    this.#open.add(stream);
    stream.once("close", () => this.#open.delete(stream));
    return stream as unknown as Socket;
  }) as unknown as Outside["connect"];

  /** Where the gateway is killed: its ends are gone. */
  cut(): void {
    for (const stream of this.#open) stream.cut();
    this.#open.clear();
  }

  #each(node: SimulatedNode, run: (stream: NodeStream) => void): void {
    for (const stream of [...this.#open]) if (stream.node === node) run(stream);
  }
}

/** The gateway's end of a connection, as much of a net.Socket as it uses, and the node behind it. */
class NodeStream extends EventEmitter {
  readonly node: SimulatedNode;
  readonly writableLength = 0;
  closed = false;
  destroyed = false;
  readonly #onread: OnReadOpts;
  readonly #parts: Parts;
  #received = "";
  #isOpen = false;
  #hasServed = false;
  #inAir: InAir | undefined;
  /** Bytes come in the order in which they were sent. */
  #arrivesMs = 0;

  constructor(node: SimulatedNode, onread: OnReadOpts, parts: Parts) {
    super();
    this.node = node;
    this.#onread = onread;
    this.#parts = parts;
    this.#parts.time.after(this.#travelMs, () => {
      // Its system accepts connections, also while the process is stopped.
      if (this.destroyed || node.wire?.kind === "half-open") return;
      if (node.isDown) this.#fail("ECONNREFUSED");
      else {
        this.#isOpen = true;
        this.emit("connect");
      }
    });
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}

  write(text: string): boolean {
    this.#received += text;
    const end = this.#received.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1]);
    if (end < 0 || this.#received.length < end + 4 + length) return true;
    const body = this.#received.slice(end + 4, end + 4 + length);
    this.#received = this.#received.slice(end + 4 + length);
    this.#ask(body);
    return true;
  }

  destroy(): this {
    this.cut();
    this.#close();
    return this;
  }

  /** Nothing comes of it any more, not even its end. */
  cut(): void {
    this.destroyed = true;
    this.#inAir?.cancel();
    this.#inAir = undefined;
  }

  /** The node's process has ended, or what it sent makes no sense to the system. */
  reset(): void {
    this.#parts.time.after(0, () => this.#fail("ECONNRESET"));
  }

  /** The node keeps no connection for so long without calls. */
  endIdle(): void {
    if (this.#isOpen && this.#inAir === undefined) this.#end();
  }

  get #travelMs(): number {
    return (this.node.options.latencyMs / 4) * this.#parts.random.between(0.5, 1.5);
  }

  #ask(body: string): void {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: [] };
    const request = { method, params: JSON.stringify(params), timeoutMs: NO_DEADLINE_MS };
    const answered = (answer: UpstreamAnswer) => {
      this.#inAir = undefined;
      this.#answer(id, answer);
    };
    // A node closes connections that have rested, never one that was opened a moment ago.
    this.#inAir = this.#hasServed
      ? this.node.transport.call(request, { answered })
      : this.node.askOverFresh(request, answered);
  }

  #answer(id: number, answer: UpstreamAnswer): void {
    switch (answer.kind) {
      case "result": {
        const result = answer.result.map(String).join("");
        this.#respond(200, `{"jsonrpc":"2.0","id":${id},"result":${result}}`);
        return;
      }
      case "error": {
        const error = JSON.stringify(answer.error);
        this.#respond(answer.status, `{"jsonrpc":"2.0","id":${id},"error":${error}}`, answer);
        return;
      }
      case "garbage":
        this.#respond(answer.status, answer.body, answer);
        return;
      default:
        this.#fail("ECONNRESET");
    }
  }

  #respond(status: number, body: string, { retryAfterMs }: { retryAfterMs?: number } = {}): void {
    const { random } = this.#parts;
    this.#hasServed = true;
    const isLast = random.chance(0.05);
    const isChunked = random.chance(0.3);
    const lines = [`HTTP/1.1 ${status} Something`, "Content-Type: application/json"];
    if (retryAfterMs !== undefined) lines.push(`Retry-After: ${Math.ceil(retryAfterMs / 1000)}`);
    if (isLast) lines.push("Connection: close");
    lines.push(isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`);
    this.#send(`${lines.join("\r\n")}\r\n\r\n${isChunked ? this.#chunks(body) : body}`);
    if (isLast) this.#at(this.#arrivesMs, () => this.#end());
  }

  #chunks(body: string): string {
    const cut = this.#parts.random.int(0, body.length);
    const chunks = [body.slice(0, cut), body.slice(cut), ""].filter(
      (chunk, index) => index === 2 || chunk !== "",
    );
    return chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
  }

  /** In pieces, as a network delivers it. */
  #send(text: string): void {
    const { time, random } = this.#parts;
    const bytes = Buffer.from(text, "latin1");
    const cuts = Array.from({ length: random.chance(0.7) ? 0 : random.int(1, 3) }, () =>
      random.int(0, bytes.length),
    ).sort((a, b) => a - b);
    let from = 0;
    for (const to of [...cuts, bytes.length]) {
      const piece = bytes.subarray(from, to);
      from = to;
      const laterMs = from === piece.length ? 0 : random.between(0, LONGEST_PIECE_MS);
      this.#arrivesMs = Math.max(this.#arrivesMs, time.nowMs) + laterMs;
      this.#at(this.#arrivesMs, () => this.#deliver(piece));
    }
  }

  #at(moment: number, run: () => void): void {
    const { time } = this.#parts;
    time.after(moment - time.nowMs, () => {
      if (!this.destroyed) run();
    });
  }

  #deliver(bytes: Buffer): void {
    for (let from = 0; from < bytes.length && !this.destroyed; ) {
      const { buffer, callback } = this.#onread;
      const room = typeof buffer === "function" ? buffer() : buffer;
      const size = Math.min(room.length, bytes.length - from);
      room.set(bytes.subarray(from, from + size));
      from += size;
      callback(size, room);
    }
  }

  #fail(code: string): void {
    if (this.destroyed) return;
    this.emit("error", Object.assign(new Error(code), { code }));
    this.destroy();
  }

  #end(): void {
    if (this.destroyed) return;
    this.emit("end");
    this.destroy();
  }

  #close(): void {
    this.#parts.time.after(0, () => {
      if (this.closed) return;
      this.closed = true;
      this.emit("close");
    });
  }
}
