/**
 * The stand-in node's chain: made-up blocks in the shape that geth gives (no totalDifficulty). A
 * block's hash ends in its number, so that a block of any number is one template with digits put in.
 */

const DIGITS = 7;
/** Stand for the digits of a block's own and its parent's number; no hex contains them. */
const OWN = "N".repeat(DIGITS);
const PARENT = "P".repeat(DIGITS);
const HASH_START = "8f3cf7ad23cd3cadbd9735aff958023239c6a063f1d2b7e45a9c0e6d1";
const FULL_BLOCK_BYTES = 300_000;

export const HEAD_NUMBER = 0x15a1234;
/** The smallest number with as many digits as the head's. */
export const FIRST_NUMBER = 0x1000000;
const RECEIPT_NUMBER = HEAD_NUMBER - 5000;

/** Begins the data of calls that revert. */
export const REVERTING_CALL = "0xdeadbeef";

export type BlockTemplate = {
  readonly bytes: Buffer;
  readonly own: readonly number[];
  readonly parent: readonly number[];
};

/** The digits of a block number as `writeBlock` wants them. */
export function digitsOf(number: number): string {
  return number.toString(16).padStart(DIGITS, "0");
}

export function hashOf(number: number): string {
  return `0x${HASH_START}${digitsOf(number)}`;
}

/** The number of the block that a number, a tag or a hash names; null for one the chain lacks. */
export function numberOf(block: unknown, head = HEAD_NUMBER): number | null {
  if (block === "latest" || block === "pending") return head;
  if (block === "safe") return head - 32;
  if (block === "finalized") return head - 64;
  if (typeof block !== "string" || !block.startsWith("0x")) return null;
  const number = Number.parseInt(block.length === 66 ? block.slice(-DIGITS) : block.slice(2), 16);
  return number >= FIRST_NUMBER && number <= head ? number : null;
}

/** A block of about 1.5 KB, its one transaction as a hash. */
export function smallBlock(): BlockTemplate {
  return template(block([`"0x${hex(seeded(1), 32)}"`]));
}

/** A block of about 300 KB with full transactions of the types 0 and 2. */
export function fullBlock(): BlockTemplate {
  const random = seeded(2);
  const transactions: string[] = [];
  for (let size = 0; size < FULL_BLOCK_BYTES; size += transactions.at(-1)?.length ?? 0) {
    transactions.push(transaction(random, transactions.length));
  }
  return template(block(transactions));
}

/** Writes a template's block of `number` into `target` at `offset`; returns where it ends. */
export function writeBlock(
  source: BlockTemplate,
  number: number,
  into: { target: Buffer; offset: number },
): number {
  const { target, offset } = into;
  source.bytes.copy(target, offset);
  const own = Buffer.from(digitsOf(number), "latin1");
  for (const place of source.own) target.set(own, offset + place);
  const parent = Buffer.from(digitsOf(number - 1), "latin1");
  for (const place of source.parent) target.set(parent, offset + place);
  return offset + source.bytes.length;
}

/** A template's block of `number`, JSON text. */
export function blockText(template: BlockTemplate, number: number): string {
  const target = Buffer.allocUnsafe(template.bytes.length);
  writeBlock(template, number, { target, offset: 0 });
  return target.toString("latin1");
}

/** The receipt of a transaction, in a block that is final for long, with one log. */
export function receiptOf(transactionHash: string): string {
  const blockHash = hashOf(RECEIPT_NUMBER);
  const blockNumber = `0x${digitsOf(RECEIPT_NUMBER)}`;
  const random = seeded(3);
  const to = `0x${hex(random, 20)}`;
  const place = { blockHash, blockNumber, transactionHash, transactionIndex: "0x0" };
  const topics = [`0x${hex(random, 32)}`, `0x${hex(random, 32)}`, `0x${hex(random, 32)}`];
  const log = { address: to, topics, data: `0x${hex(random, 32)}`, ...place };
  return JSON.stringify({
    ...place,
    contractAddress: null,
    cumulativeGasUsed: "0xb5d6",
    effectiveGasPrice: "0x3b9aca07",
    from: `0x${hex(random, 20)}`,
    gasUsed: "0xb5d6",
    logs: [{ ...log, logIndex: "0x0", removed: false }],
    logsBloom: `0x${hex(random, 256)}`,
    status: "0x1",
    to,
    type: "0x2",
  });
}

function block(transactions: readonly string[]): string {
  const random = seeded(4);
  const hash32 = () => `0x${hex(random, 32)}`;
  const head = JSON.stringify({
    baseFeePerGas: "0x3b9aca07",
    blobGasUsed: "0xc0000",
    difficulty: "0x0",
    excessBlobGas: "0x4b80000",
    extraData: `0x${hex(random, 18)}`,
    gasLimit: "0x2255100",
    gasUsed: "0xf1a2b3",
    hash: `0x${HASH_START}${OWN}`,
    logsBloom: `0x${hex(random, 256)}`,
    miner: `0x${hex(random, 20)}`,
    mixHash: hash32(),
    nonce: "0x0000000000000000",
    number: `0x${OWN}`,
    parentBeaconBlockRoot: hash32(),
    parentHash: `0x${HASH_START}${PARENT}`,
    receiptsRoot: hash32(),
    requestsHash: hash32(),
    sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
    size: "0x1c3a5",
    stateRoot: hash32(),
    timestamp: "0x68d3a4c7",
  });
  const tail = `"transactionsRoot":"${hash32()}","uncles":[],"withdrawals":[],"withdrawalsRoot":"${hash32()}"}`;
  return `${head.slice(0, -1)},"transactions":[${transactions.join(",")}],${tail}`;
}

function transaction(random: () => number, index: number): string {
  const inputBytes = [0, 68, 68, 132, 260, 612][random() % 6] ?? 0;
  const fees = { maxFeePerGas: "0x77359400", maxPriorityFeePerGas: "0x3b9aca00", accessList: [] };
  const isDynamic = random() % 4 !== 0;
  return JSON.stringify({
    blockHash: `0x${HASH_START}${OWN}`,
    blockNumber: `0x${OWN}`,
    from: `0x${hex(random, 20)}`,
    gas: `0x${(21_000 + (random() % 900_000)).toString(16)}`,
    gasPrice: `0x${(1_000_000_000 + (random() % 1_000_000_000)).toString(16)}`,
    ...(isDynamic ? fees : {}),
    hash: `0x${hex(random, 32)}`,
    input: `0x${hex(random, inputBytes)}`,
    nonce: `0x${(random() % 100_000).toString(16)}`,
    to: `0x${hex(random, 20)}`,
    transactionIndex: `0x${index.toString(16)}`,
    value: `0x${random().toString(16)}`,
    type: isDynamic ? "0x2" : "0x0",
    chainId: "0x1",
    v: isDynamic ? "0x1" : "0x26",
    r: `0xa${hex(random, 32).slice(1)}`,
    s: `0x3${hex(random, 32).slice(1)}`,
    ...(isDynamic ? { yParity: "0x1" } : {}),
  });
}

function template(json: string): BlockTemplate {
  return {
    bytes: Buffer.from(json, "latin1"),
    own: places(json, OWN),
    parent: places(json, PARENT),
  };
}

function places(text: string, token: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + DIGITS)) found.push(at);
  return found;
}

/** So many bytes as hex digits. */
export function hex(random: () => number, bytes: number): string {
  let text = "";
  while (text.length < bytes * 2) text += random().toString(16).padStart(8, "0");
  return text.slice(0, bytes * 2);
}

/** Numbers of 32 bits, the same for the same seed (xorshift). */
export function seeded(seed: number): () => number {
  let state = seed * 0x9e3779b1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
