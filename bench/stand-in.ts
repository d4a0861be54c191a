/**
 * A node that costs next to nothing: JSON-RPC over plain keep-alive HTTP on `node:net`, prepared
 * answers by method, the request's id echoed. It serves what Tollgate and the floors send (one
 * Content-Length, no chunks) and closes the connection on anything else.
 */
import { createServer, type Socket } from "node:net";
import {
  blockText,
  digitsOf,
  fullBlock,
  HEAD_NUMBER,
  numberOf,
  REVERTING_CALL,
  receiptOf,
  smallBlock,
  writeBlock,
} from "./chain.ts";
import { BLOCK_BYTES, GENESIS_HASH, HEAD_SLOT, headOf, slotOf, tailOf } from "./slot-chain.ts";

type Request = { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown };

const SMALL = smallBlock();
const FULL = fullBlock();
/** Results of eth_call: 32 to 192 bytes, as a word, a pair, a short string or a tuple has. */
const CALL_RESULTS = [1, 2, 3, 4, 6].map(
  (words) => `"0x${"0".repeat(48)}${"1f".repeat(words * 32 - 24)}"`,
);
const CONSTANTS: Readonly<Record<string, string>> = {
  eth_chainId: '"0x1"',
  net_version: '"1"',
  eth_syncing: "false",
  web3_clientVersion: '"stand-in/1.0.0"',
  getGenesisHash: `"${GENESIS_HASH}"`,
  getSlot: String(HEAD_SLOT),
};
/** All but the beginning of a block of 5 MB; made when it is first asked for. */
let largeTail: Buffer | undefined;

/** The error of geth for a call whose contract reverted with Error("no"). */
const REVERT = `{"code":3,"message":"execution reverted: no","data":"0x08c379a0${"20".padStart(64, "0")}${"2".padStart(64, "0")}${"6e6f".padEnd(64, "0")}"}`;

/** `calls`: those in its requests that no gateway asks by itself; `carriers`: requests with such calls. */
export type NodeCounts = {
  readonly requests: number;
  readonly failed: number;
  readonly calls: number;
  readonly carriers: number;
};

/** A chain that has grown by a block every `blockMs` since that Unix time. */
export type Growth = { readonly epochMs: number; readonly blockMs: number };

export class StandIn {
  /** It listens nowhere yet. */
  readonly server = createServer({ noDelay: true }, (socket) => this.#serve(socket));
  /** Whether every second request is answered with HTTP 500. */
  isFailing = false;
  readonly #counts = { requests: 0, failed: 0, calls: 0, carriers: 0 };
  readonly #growth: Growth | null;

  /** Without growth its chain stands still. */
  constructor(growth: Growth | null = null) {
    this.#growth = growth;
  }

  /** Since it began. */
  get counts(): NodeCounts {
    return { ...this.#counts };
  }

  #serve(socket: Socket): void {
    let rest: Buffer = Buffer.alloc(0);
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      rest = this.#answerAll(socket, rest.length === 0 ? chunk : Buffer.concat([rest, chunk]));
    });
  }

  /** Answers each whole request in `bytes`; returns what is left of a request still on its way. */
  #answerAll(socket: Socket, bytes: Buffer): Buffer {
    let from = 0;
    for (;;) {
      const headEnd = bytes.indexOf("\r\n\r\n", from, "latin1");
      if (headEnd < 0) break;
      const head = bytes.toString("latin1", from, headEnd);
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (length === undefined) {
        socket.end(
          "HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
        return Buffer.alloc(0);
      }
      const end = headEnd + 4 + Number(length);
      if (end > bytes.length) break;
      this.#answer(socket, bytes.toString("utf8", headEnd + 4, end));
      from = end;
    }
    return bytes.subarray(from);
  }

  #answer(socket: Socket, body: string): void {
    const counts = this.#counts;
    counts.requests += 1;
    if (this.isFailing && counts.requests % 2 === 0) {
      counts.failed += 1;
      socket.write("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    let parsed: Request | Request[];
    try {
      parsed = JSON.parse(body);
    } catch {
      writeText(
        socket,
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}',
      );
      return;
    }
    const own = Array.isArray(parsed) ? parsed.filter(isClients).length : Number(isClients(parsed));
    counts.calls += own;
    if (own > 0) counts.carriers += 1;
    const newest = this.#headNumber();
    if (Array.isArray(parsed)) {
      writeText(socket, `[${parsed.map((call) => envelope(call, newest)).join(",")}]`);
    } else if (isFullBlock(parsed)) {
      writeFullBlock(socket, parsed, newest);
    } else if (parsed.method === "getBlock") {
      writeSlotBlock(socket, parsed, newest);
    } else {
      writeText(socket, envelope(parsed, newest));
    }
  }

  #headNumber(): number {
    if (this.#growth === null) return HEAD_NUMBER;
    const { epochMs, blockMs } = this.#growth;
    return HEAD_NUMBER + Math.floor((Date.now() - epochMs) / blockMs);
  }
}

function writeText(socket: Socket, body: string): void {
  socket.write(`${head(body.length)}${body}`, "latin1");
}

/** Polls name the newest block by its tag, and only they do: a gateway sends numbers for clients. */
function isClients(call: Request): boolean {
  if (CONSTANTS[String(call.method)] !== undefined || call.method === "eth_blockNumber")
    return false;
  return !(call.method === "eth_getBlockByNumber" && paramsOf(call)[0] === "latest");
}

function writeFullBlock(socket: Socket, call: Request, newest: number): void {
  const number = numberOf(paramsOf(call)[0], newest);
  if (number === null) {
    writeText(socket, envelope(call, newest));
    return;
  }
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":`;
  const text = `${head(start.length + FULL.bytes.length + 1)}${start}`;
  const target = Buffer.allocUnsafe(text.length + FULL.bytes.length + 1);
  const offset = target.write(text, "latin1");
  target.write("}", writeBlock(FULL, number, { target, offset }), "latin1");
  socket.write(target);
}

/** In the form of agave: the result between the envelope's members, and a line's end. */
function writeSlotBlock(socket: Socket, call: Request, newest: number): void {
  const slot = slotOf(paramsOf(call)[0]);
  if (slot === null) {
    writeText(socket, envelope(call, newest));
    return;
  }
  const start = `{"jsonrpc":"2.0","result":${headOf(slot)}`;
  const tail = slotTail();
  const end = `,"id":${JSON.stringify(call.id)}}\n`;
  socket.cork();
  socket.write(`${head(start.length + tail.length + end.length)}${start}`, "latin1");
  socket.write(tail);
  socket.write(end, "latin1");
  socket.uncork();
}

function slotTail(): Buffer {
  largeTail ??= Buffer.from(tailOf({ seed: 5, bytes: BLOCK_BYTES, encoding: "json" }), "latin1");
  return largeTail;
}

function head(length: number): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

function envelope(call: Request, newest: number): string {
  const id = JSON.stringify(call.id ?? null);
  const result = resultOf(call, newest);
  if (result === REVERT) return `{"jsonrpc":"2.0","id":${id},"error":${REVERT}}`;
  if (result !== null) return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"the method does not exist"}}`;
}

function resultOf(call: Request, newest: number): string | null {
  const params = paramsOf(call);
  switch (call.method) {
    case "eth_call":
      return callResult(params[0]);
    case "eth_getBlockByNumber":
    case "eth_getBlockByHash":
      return blockResult(call, newest);
    case "eth_blockNumber":
      return `"0x${digitsOf(newest)}"`;
    case "getBlock": {
      const slot = slotOf(params[0]);
      return slot === null ? "null" : `${headOf(slot)}${slotTail().toString("latin1")}`;
    }
    case "eth_getTransactionReceipt":
      return receiptOf(String(params[0]));
    default:
      return CONSTANTS[String(call.method)] ?? null;
  }
}

function callResult(call: unknown): string | null {
  const text = JSON.stringify(call ?? null);
  if (text.includes(REVERTING_CALL)) return REVERT;
  return CALL_RESULTS[text.charCodeAt(text.length - 3) % CALL_RESULTS.length] ?? null;
}

function blockResult(call: Request, newest: number): string {
  const params = paramsOf(call);
  const number = numberOf(params[0], newest);
  return number === null ? "null" : blockText(params[1] === true ? FULL : SMALL, number);
}

function isFullBlock(call: Request): boolean {
  return (
    paramsOf(call)[1] === true &&
    (call.method === "eth_getBlockByNumber" || call.method === "eth_getBlockByHash")
  );
}

function paramsOf(call: Request): readonly unknown[] {
  return Array.isArray(call.params) ? call.params : [];
}
