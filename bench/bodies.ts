import { createApiKey } from "../src/access/api-key.ts";
import { digitsOf, FIRST_NUMBER, HEAD_NUMBER, hashOf } from "./chain.ts";
import { FIRST_SLOT, LAST_LEDGER_SLOT, OLD_SLOTS } from "./slot-chain.ts";

/** Bodies of requests, ASCII; the n-th of a run. */
export const CHAIN_ID = call("eth_chainId", "[]");

/** Blocks below this one are final for long and are left to the scenarios that ask for the same again. */
const KNOWN_NUMBER = HEAD_NUMBER - 200;
const KNOWN_BLOCKS = 20_000;
const UNKNOWN_BLOCKS = KNOWN_NUMBER - KNOWN_BLOCKS - FIRST_NUMBER;

/** balanceOf of another account each time, so that no cache and no single flight can answer it. */
export function ethCall(n: number): string {
  const account = n.toString(16).padStart(64, "0");
  return call(
    "eth_call",
    `[{"from":"0x00000000219ab540356cbb839cbe05303d7705fa","to":"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48","data":"0x70a08231${account}"},"latest"]`,
  );
}

/** One of so many final blocks in turn, with the hashes of its transactions. */
export function knownBlock(n: number, blocks: number): string {
  return blockByNumber(KNOWN_NUMBER - (n % blocks), false);
}

export function blockByHash(): string {
  return call("eth_getBlockByHash", `["${hashOf(KNOWN_NUMBER)}",false]`);
}

export function receipt(): string {
  return call("eth_getTransactionReceipt", `["0x${"5a".repeat(32)}"]`);
}

/** One of so many final blocks in turn, with their transactions: 300 KB. */
export function knownFullBlock(n: number, blocks: number): string {
  return blockByNumber(KNOWN_NUMBER - (n % blocks), true);
}

/** A final block that no body before asked for. */
export function newBlock(n: number, isFull: boolean): string {
  return blockByNumber(FIRST_NUMBER + (n % UNKNOWN_BLOCKS), isFull);
}

export function batchOf(n: number, calls: number): string {
  return `[${Array.from({ length: calls }, (_, at) => ethCall(n * calls + at)).join(",")}]`;
}

/** The defaults of getBlock but for the version, which every client of today gives. */
export function slotBlock(n: number): string {
  return getBlock(FIRST_SLOT + (n % OLD_SLOTS), { encoding: "json", maxVersion: 0 });
}

/**
 * A ledger's blocks in turn; the highest version that the client takes goes up with each turn, which
 * makes another answer of it for the cache, and the same for the ledger.
 */
export function ledgerBlock(n: number): string {
  const blocks = LAST_LEDGER_SLOT + 1 - FIRST_SLOT;
  const maxVersion = Math.floor(n / blocks) % 256;
  return getBlock(FIRST_SLOT + (n % blocks), { encoding: "base64", maxVersion });
}

/** The path of the n-th request where many keys call many networks; some keys call often (Zipf). */
export function manyPath(n: number, keys: number): string {
  const share = ((n * 0x9e3779b1) >>> 0) / 2 ** 32;
  return `/${manyName(n % MANY_NETWORKS)}/v3/${keyText(Math.floor(keys ** share) - 1)}`;
}

/** The path of the n-th request where each of so many keys calls once, those that call often last. */
export const pathOfEvery = (n: number, keys: number): string =>
  `/${manyName(n % MANY_NETWORKS)}/v3/${keyText(keys - 1 - n)}`;

export const MANY_NETWORKS = 8;
export const manyName = (at: number): string => `net-${at + 1}`;

const keyTexts: string[] = [];

/** The bench's n-th key, which is nobody's secret. */
export function keyText(n: number): string {
  keyTexts[n] ??= createApiKey((sizeBytes) => {
    const bytes = Buffer.alloc(sizeBytes);
    bytes.writeUInt32BE(n, sizeBytes - 4);
    return bytes;
  });
  return keyTexts[n];
}

export function call(method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
}

function blockByNumber(number: number, isFull: boolean): string {
  return call("eth_getBlockByNumber", `["0x${digitsOf(number)}",${isFull}]`);
}

function getBlock(
  slot: number,
  { encoding, maxVersion }: { readonly encoding: "json" | "base64"; readonly maxVersion: number },
): string {
  return call(
    "getBlock",
    `[${slot},{"encoding":"${encoding}","transactionDetails":"full","rewards":false,"maxSupportedTransactionVersion":${maxVersion}}]`,
  );
}
