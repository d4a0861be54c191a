/**
 * A node that costs next to nothing: JSON-RPC over plain keep-alive HTTP on `node:net`, prepared
 * answers by method, the request's id echoed. It serves what Tollgate and the floors send (one
 * Content-Length, no chunks) and closes the connection on anything else. Sends its port to the parent.
 * After a message `{ failing: true }` of the parent it answers every second request with HTTP 500; each
 * such message is answered with how many requests have come, how many of them failed, how many calls
 * were in them that no gateway asks by itself, and how many requests carried such calls. `node bench/stand-in-node.ts EPOCH_MS BLOCK_MS`:
 * its chain grows since that Unix time; without them it stands still.
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
import { serve } from "./child.ts";
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
const [epochMs, blockMs] = process.argv.slice(2).map(Number);

const counts = { requests: 0, failed: 0, calls: 0, carriers: 0 };
let isFailing = false;

process.on("message", (message: { readonly failing: boolean }) => {
  isFailing = message.failing;
  process.send?.({ ...counts });
});

const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    rest = answerAll(socket, rest.length === 0 ? chunk : Buffer.concat([rest, chunk]));
  });
});
serve(server);

/** Answers each whole request in `bytes`; returns what is left of a request still on its way. */
function answerAll(socket: Socket, bytes: Buffer): Buffer {
  let from = 0;
  for (;;) {
    const headEnd = bytes.indexOf("\r\n\r\n", from, "latin1");
    if (headEnd < 0) break;
    const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString("latin1", from, headEnd))?.[1];
    if (length === undefined) {
      socket.end("HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      return Buffer.alloc(0);
    }
    const end = headEnd + 4 + Number(length);
    if (end > bytes.length) break;
    answer(socket, bytes.toString("utf8", headEnd + 4, end));
    from = end;
  }
  return bytes.subarray(from);
}

function answer(socket: Socket, body: string): void {
  counts.requests += 1;
  if (isFailing && counts.requests % 2 === 0) {
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
  if (Array.isArray(parsed)) {
    writeText(socket, `[${parsed.map((call) => envelope(call)).join(",")}]`);
  } else if (isFullBlock(parsed)) {
    writeFullBlock(socket, parsed);
  } else if (parsed.method === "getBlock") {
    writeSlotBlock(socket, parsed);
  } else {
    writeText(socket, envelope(parsed));
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

function headNumber(): number {
  if (epochMs === undefined || blockMs === undefined) return HEAD_NUMBER;
  return HEAD_NUMBER + Math.floor((Date.now() - epochMs) / blockMs);
}

function writeFullBlock(socket: Socket, call: Request): void {
  const number = numberOf(paramsOf(call)[0], headNumber());
  if (number === null) {
    writeText(socket, envelope(call));
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
function writeSlotBlock(socket: Socket, call: Request): void {
  const slot = slotOf(paramsOf(call)[0]);
  if (slot === null) {
    writeText(socket, envelope(call));
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

function envelope(call: Request): string {
  const id = JSON.stringify(call.id ?? null);
  const result = resultOf(call);
  if (result === REVERT) return `{"jsonrpc":"2.0","id":${id},"error":${REVERT}}`;
  if (result !== null) return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"the method does not exist"}}`;
}

function resultOf(call: Request): string | null {
  const params = paramsOf(call);
  switch (call.method) {
    case "eth_call":
      return callResult(params[0]);
    case "eth_getBlockByNumber":
    case "eth_getBlockByHash":
      return blockResult(call);
    case "eth_blockNumber":
      return `"0x${digitsOf(headNumber())}"`;
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

function blockResult(call: Request): string {
  const params = paramsOf(call);
  const number = numberOf(params[0], headNumber());
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
