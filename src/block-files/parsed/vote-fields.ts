import { type DataReader, MalformedDataError } from "./data-reader.ts";
import { i64, integer, key, list, option, type Read, struct, u32, u64 } from "./fields.ts";

const NO_ROOT = 2n ** 64n - 1n;
const U64 = 2n ** 64n;
/** A u64 takes at most ten bytes of seven bits; the tenth holds its last bit. */
const VARINT_BYTES = 10;

/** A vote by its slots alone. */
export const votedSlots: Read = struct([
  ["slots", list(u64)],
  ["hash", key],
  ["timestamp", option(i64)],
]);

/** A vote by the whole tower, each lockout with its slot. */
export const voteStateUpdate: Read = struct([
  [
    "lockouts",
    list(
      struct([
        ["slot", u64],
        ["confirmation_count", u32],
      ]),
    ),
  ],
  ["root", option(u64)],
  ["hash", key],
  ["timestamp", option(i64)],
]);

/** The same with each slot as its distance from the one before, the first from the root. */
export const compactUpdate: Read = struct([
  ["...", compactTower],
  ["hash", key],
  ["timestamp", option(i64)],
]);

/** The same with the block's own identifier. */
export const towerSync: Read = struct([
  ["...", compactTower],
  ["hash", key],
  ["timestamp", option(i64)],
  ["blockId", key],
]);

function compactTower(data: DataReader) {
  const root = data.u64();
  const count = shortLength(data);
  let slot = root === NO_ROOT ? 0n : root;
  const lockouts: unknown[] = [];
  for (let at = 0; at < count; at++) {
    slot += varint(data, VARINT_BYTES);
    if (slot >= U64) throw new MalformedDataError("a slot beyond 64 bits");
    lockouts.push({ confirmation_count: data.u8(), slot: integer(slot) });
  }
  return { lockouts, root: root === NO_ROOT ? null : integer(root) };
}

/** A length in one to three bytes, at most 65535. */
function shortLength(data: DataReader): number {
  const length = Number(varint(data, 3));
  if (length > 0xffff) throw new MalformedDataError("a length beyond 16 bits");
  return length;
}

/** Seven bits a byte, lowest first, in as few bytes as there can be. */
function varint(data: DataReader, most: number): bigint {
  let value = 0n;
  for (let at = 0; at < most; at++) {
    const byte = data.u8();
    value |= BigInt(byte & 0x7f) << BigInt(7 * at);
    if (byte >= 0x80) continue;
    if (byte === 0 && at > 0) throw new MalformedDataError("a number in too many bytes");
    if (value >= U64) throw new MalformedDataError("a number beyond 64 bits");
    return value;
  }
  throw new MalformedDataError("a number in too many bytes");
}
