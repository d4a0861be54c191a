const ERROR_SELECTOR = "08c379a0";
const PANIC_SELECTOR = "4e487b71";
const WORD_BYTES = 32;

/** The compiler's panic codes, in go-ethereum's words (accounts/abi, `panicReasons`). */
const PANIC_TEXTS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, "generic panic"],
  [0x01n, "assert(false)"],
  [0x11n, "arithmetic underflow or overflow"],
  [0x12n, "division or modulo by zero"],
  [0x21n, "enum overflow"],
  [0x22n, "invalid encoded storage byte array accessed"],
  [0x31n, "out-of-bounds array access; popping on an empty array"],
  [0x32n, "out-of-bounds access of an array or bytesN"],
  [0x41n, "out of memory"],
  [0x51n, "uninitialized function"],
]);

/** The meaning of `Panic(code)`; `unknown panic code: 0x2a` where the compiler has no such code. */
function panicText(code: bigint): string {
  return PANIC_TEXTS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`;
}

/**
 * The reason in a revert payload (`0x…`, whole bytes): the text of `Error(string)` or the meaning
 * of `Panic(uint256)`; null for custom errors and for what cannot be decoded. As lenient as
 * go-ethereum's `abi.UnpackRevert`: padding may be missing, bytes may follow, any offset counts.
 */
export function decodeRevertReason(payload: string): string | null {
  const selector = payload.slice(2, 10).toLowerCase();
  if (selector !== ERROR_SELECTOR && selector !== PANIC_SELECTOR) return null;
  const bytes = Buffer.from(payload.slice(10), "hex");
  if (selector === PANIC_SELECTOR) {
    const code = wordAt(bytes, 0);
    return code === null ? null : panicText(code);
  }
  const offset = sizeAt(bytes, 0);
  if (offset === null) return null;
  const length = sizeAt(bytes, offset);
  const start = offset + WORD_BYTES;
  if (length === null || start + length > bytes.length) return null;
  return bytes.toString("utf8", start, start + length);
}

/**
 * The payload of a revert that a node gave as an ordinary result of `eth_call` (geth before
 * 1.9.15 did), or null. Takes the result's JSON text. Only the exact encoding of `Error(string)`,
 * or of a `Panic(uint256)` of one byte, counts: those are 4 bytes more than whole words, which
 * a contract's ordinary ABI-encoded return data never is.
 */
export function isRevertPayloadAsResult(resultJson: string | Buffer): string | null {
  const isText = typeof resultJson === "string";
  if (!mayBePayload(isText ? resultJson.charCodeAt(4) : resultJson[4])) return null;
  const start = isText ? resultJson.slice(0, 11) : resultJson.toString("latin1", 0, 11);
  if (start !== `"0x${ERROR_SELECTOR}` && start !== `"0x${PANIC_SELECTOR}`) return null;
  const text = isText ? resultJson : resultJson.toString("latin1");
  const payload = text.trimEnd().slice(1, -1);
  return text.trimEnd().endsWith('"') && isExactRevertPayload(payload) ? payload : null;
}

/** By the second digit of the selector: nearly every result is told apart by it. */
function mayBePayload(digit: number | undefined): boolean {
  return digit === ERROR_SELECTOR.charCodeAt(1) || digit === PANIC_SELECTOR.charCodeAt(1);
}

/** Whether the hex is, to the byte, what a compiler encodes for `Error(string)` or `Panic(uint256)`. */
export function isExactRevertPayload(payload: string): boolean {
  if (!/^0x(?:08c379a0|4e487b71)(?:[0-9a-f]{64})+$/i.test(payload)) return false;
  const bytes = Buffer.from(payload.slice(10), "hex");
  if (payload.slice(2, 10).toLowerCase() === PANIC_SELECTOR) {
    return bytes.length === WORD_BYTES && (sizeAt(bytes, 0) ?? 256) < 256;
  }
  const length = sizeAt(bytes, WORD_BYTES);
  if (sizeAt(bytes, 0) !== WORD_BYTES || length === null) return false;
  const end = 2 * WORD_BYTES + length;
  const padded = Math.ceil(end / WORD_BYTES) * WORD_BYTES;
  return bytes.length === padded && bytes.subarray(end).every((byte) => byte === 0);
}

function wordAt(bytes: Buffer, offset: number): bigint | null {
  if (offset + WORD_BYTES > bytes.length) return null;
  return BigInt(`0x${bytes.toString("hex", offset, offset + WORD_BYTES)}`);
}

/** A word read as an offset or a length: null where it lies beyond what any payload can hold. */
function sizeAt(bytes: Buffer, offset: number): number | null {
  const word = wordAt(bytes, offset);
  return word === null || word > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(word);
}

type TextRow = { readonly from: string; readonly text: RegExp };

/** More than any chain of proxies was seen to write. */
const MAX_WRAPPERS = 8;
/** A node's own words before another's; taken off, again and again, before texts are compared. */
const WRAPPERS: readonly TextRow[] = [
  { from: "hardhat 2", text: /^error: /i },
  { from: "Hedera relay", text: /^\[request id: [^\]]*\] /i },
  { from: "op-geth", text: /^historical backend error: /i },
  { from: "geth", text: /^(?:err|failed with \d+ gas): /i },
  { from: "Cosmos chains", text: /^rpc error: code = \w+ desc = /i },
  { from: "fabric-x-evm", text: /^query response was not successful, error code \d+, msg /i },
];

/** The words of ganache, hardhat and Frontier before the reverts and the halts of the machine. */
const MACHINE = "(?:vm exception while processing transaction: )";
const machine = (text: string): RegExp => new RegExp(`^${MACHINE}${text}`, "is");

/**
 * How nodes begin the text of a revert. What follows is the contract's own and decides nothing.
 * Named groups: `reason` (`padded` with NULs), `panic` code or `payload` that some write out.
 */
const REVERT_TEXTS: readonly (TextRow & { readonly data?: RegExp })[] = [
  { from: "geth and most others", text: /^execution reverted(?:: ?(?<reason>.*))?/is },
  { from: "java-tron", text: /^revert opcode executed/i },
  {
    from: "Lotus before 1.27, a text",
    text: /^message execution failed \(exit=\[33], revert reason=\[Error\((?<reason>.*)\)], vm error=/is,
  },
  { from: "Lotus before 1.27", text: /^message execution failed \(exit=\[33/i },
  { from: "hardhat", text: /^transaction reverted\b/i },
  { from: "hardhat, a text", text: machine("?reverted with reason string '(?<reason>.*)'$") },
  { from: "hardhat, a panic", text: machine("?reverted with panic code (?<panic>0x[0-9a-f]+)\\b") },
  {
    from: "hardhat, a custom error",
    text: machine(
      "?reverted with an unrecognized custom error \\(return data: (?<payload>0x(?:[0-9a-f]{2})*)\\)$",
    ),
  },
  { from: "hardhat, undecodable", text: machine("expected return data|^reverted with ") },
  { from: "ganache; Frontier adds NULs", text: machine("revert(?: (?<padded>.*))?") },
  { from: "ethereumjs, revm", text: /^(?:evm error:? )?revert(?:ed)?(?:\.?$|: (?<reason>.*))/is },
  { from: "Nethermind, OpenEthereum", text: /^vm execution error/i, data: /^revert/i },
];

/** A message without the words that nodes put before that of another node. */
export function unwrap(message: string): string {
  let rest = message;
  for (let round = 0; round < MAX_WRAPPERS; round++) {
    const wrapper = WRAPPERS.map(({ text }) => text.exec(rest)?.[0]).find(Boolean);
    if (!wrapper) break;
    rest = rest.slice(wrapper.length);
  }
  return rest;
}

/** A message without the words that some write before every failure of the machine. */
export const withoutMachine = (message: string): string =>
  message.replace(new RegExp(`^${MACHINE}`, "i"), "");

/**
 * The revert in an unwrapped message where no payload came with it: undefined where it
 * has none, else the node's own reason and, from some, the payload or the panic code.
 */
export function readRevertText(
  message: string,
  data: unknown,
): { readonly reason: string | null; readonly payload: string } | undefined {
  for (const row of REVERT_TEXTS) {
    if (row.data && !(typeof data === "string" && row.data.test(data))) continue;
    const match = row.text.exec(message);
    if (!match) continue;
    const {
      padded,
      reason = padded && withoutNuls(padded),
      payload = "0x",
      panic,
    } = match.groups ?? {};
    if (payload !== "0x") return { reason: decodeRevertReason(payload), payload };
    return { reason: reason ?? (panic ? panicText(BigInt(panic)) : null), payload };
  }
  return undefined;
}

/** A loop, because a pattern takes quadratic time on a text of many NULs. */
function withoutNuls(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\0") end--;
  return text.slice(0, end);
}
