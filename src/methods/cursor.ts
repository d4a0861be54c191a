/**
 * How far a client was told of a chain: up to a block or, of its logs, up to one of them. It says all
 * that another gateway needs to go on from there.
 */
export type Cursor = {
  /** Undefined where the client knows the hash alone. */
  readonly number: number | undefined;
  /** In lower case. */
  readonly hash: string;
  /** The last log of the block that was told; undefined: the block as a whole. */
  readonly logIndex: number | undefined;
  /** The block is off the chain, and its logs up to this one were told as removed. */
  readonly isRemoving: boolean;
};

/** `number.hash`, `number.hash.log` or `number.hash.-log`: at most 88 bytes. */
const CURSOR = /^(0|[1-9a-z][0-9a-z]{0,10})\.([0-9a-f]{64})(?:\.(-?)(0|[1-9][0-9]{0,9}))?$/;

/** The cursor after a whole block. */
export const blockCursor = (number: number, hash: string): string =>
  `${number.toString(36)}.${hash.slice(2)}`;

/** The cursor after one of its logs. */
export const logCursor = (block: string, logIndex: number, isRemoving = false): string =>
  `${block}.${isRemoving ? "-" : ""}${logIndex}`;

/** A notification up to its result. `id`: JSON text. */
export const notification = (id: string, method = "eth_subscription"): string =>
  `{"jsonrpc":"2.0","method":"${method}","params":{"subscription":${id},"result":`;

/** A notification from its result on. Clients that know no cursor leave it unread. */
export const told = (result: string, cursor: string): string => `${result},"cursor":"${cursor}"}}`;

/** Undefined for a text that no gateway has made. */
export function readCursor(text: string): Cursor | undefined {
  const [, number, hash, minus, log] = CURSOR.exec(text) ?? [];
  if (number === undefined || hash === undefined) return undefined;
  const block = Number.parseInt(number, 36);
  if (!Number.isSafeInteger(block)) return undefined;
  return {
    number: block,
    hash: `0x${hash}`,
    logIndex: log === undefined ? undefined : Number(log),
    isRemoving: minus === "-",
  };
}
