import { type BloomBits, bloomBits } from "../../src/subscriptions/bloom.ts";

export type SimulatedLog = { readonly address: string; readonly topics: readonly string[] };

const hex = (value: number, bytes: number): string =>
  `0x${value.toString(16).padStart(2 * bytes, "0")}`;
export const ADDRESSES = [1, 2, 3].map((value) => hex(value, 20));
export const TOPICS = [10, 11, 12].map((value) => hex(value, 32));
const BITS: ReadonlyMap<string, BloomBits> = new Map(
  [...ADDRESSES, ...TOPICS].map((text) => [text, bloomBits(text)]),
);

/** As in a header: hex text of 256 bytes. */
export function bloomOf(logs: readonly SimulatedLog[]): string {
  let bloom = 0n;
  for (const { address, topics } of logs) {
    for (const text of [address, ...topics]) {
      for (const bit of BITS.get(text) ?? []) bloom |= 1n << BigInt(bit);
    }
  }
  return `0x${bloom.toString(16).padStart(512, "0")}`;
}

/** As a node answers that is asked for the logs of one block. */
export function logsJsonOf({
  number,
  hash,
  logs,
}: {
  readonly number: number;
  readonly hash: string;
  readonly logs: readonly SimulatedLog[];
}): string {
  return JSON.stringify(
    logs.map((log, index) => ({
      ...log,
      ...{ blockHash: hash, blockNumber: `0x${number.toString(16)}` },
      ...{ logIndex: `0x${index.toString(16)}`, removed: false },
    })),
  );
}
