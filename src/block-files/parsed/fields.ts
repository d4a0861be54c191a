import { encodeKey } from "../base58.ts";
import { type DataReader, MalformedDataError } from "./data-reader.ts";

/** Reads one value of `info`; `undefined` leaves its member out, where agave does so. */
export type Read = (data: DataReader) => unknown;

/** In the order of the data. The name "..." puts the members of an object that was read in its place. */
export type Fields = readonly (readonly [name: string, read: Read])[];

const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** A JSON number for an integer of any size: those beyond 2^53 keep every digit through JSON.rawJSON. */
export function integer(value: bigint): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : rawJSON(value.toString());
}

export const u8 = (data: DataReader): number => data.u8();
export const i8 = (data: DataReader): number => data.i8();
export const u16 = (data: DataReader): number => data.u16();
export const i16 = (data: DataReader): number => data.i16();
export const u32 = (data: DataReader): number => data.u32();
export const u64 = (data: DataReader): unknown => integer(data.u64());
export const i64 = (data: DataReader): unknown => integer(data.i64());
/** A u64 that agave writes as text. */
export const u64Text = (data: DataReader): string => data.u64().toString();
/** An address or a hash: 32 bytes as base58. */
export const key = (data: DataReader): string => encodeKey(data.take(32));
/** A byte that any value but 0 makes true. */
export const flag = (data: DataReader): boolean => data.u8() !== 0;
/** Text to the end of the data. */
export const restText = (data: DataReader): string => data.text(data.left);

/** Text after its length in 8 bytes (bincode) or 4 (borsh). */
export const text = (data: DataReader): string => data.text(Number(data.u64()));
export const borshText = (data: DataReader): string => data.text(data.u32());

/** Bytes after their length in 8 bytes, as base64. */
export const lengthAndBytes = (data: DataReader): string => base64(Number(data.u64()))(data);

export function base64(count: number): (data: DataReader) => string {
  return (data) => data.encoded(count, "base64");
}

/** Bytes that agave reads and does not show. */
export function skip(count: number): Read {
  return (data) => {
    data.take(count);
    return undefined;
  };
}

const present = (data: DataReader): boolean => oneOf([false, true])(data);

/** A value after a byte 1, or a byte 0 alone: null. */
export function option(read: Read): Read {
  return (data) => (present(data) ? read(data) : null);
}

/** The same, left out where there is none. */
export function optional(read: Read): Read {
  return (data) => (present(data) ? read(data) : undefined);
}

/** An address, left out where all its bytes are zero. */
export const someKey: Read = (data) => {
  const bytes = data.take(32);
  return bytes.every((byte) => byte === 0) ? undefined : encodeKey(bytes);
};

/** An address, null where all its bytes are zero. */
export const keyOrNull: Read = (data) => someKey(data) ?? null;

/** The value that a number (a byte, if nothing else is said) chooses. */
export function oneOf<T>(values: readonly T[], number: (data: DataReader) => number = u8) {
  return (data: DataReader): T => {
    const chosen = values[number(data)];
    if (chosen === undefined) throw new MalformedDataError("a number that stands for nothing");
    return chosen;
  };
}

/** As many values as the 8 bytes before them say. */
export function list(read: Read): (data: DataReader) => unknown[] {
  return (data) => {
    const values: unknown[] = [];
    for (let left = data.u64(); left > 0n; left--) values.push(read(data));
    return values;
  };
}

/** Values to the end of the data. */
export function restList(read: Read): Read {
  return (data) => {
    const values: unknown[] = [];
    while (data.left > 0) values.push(read(data));
    return values;
  };
}

/** Reads fields into an object; its members stand as they were read. */
export function readFields(fields: Fields, data: DataReader): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, read] of fields) {
    const value = read(data);
    if (name === "...") Object.assign(values, value);
    else if (value !== undefined) values[name] = value;
  }
  return values;
}

/** An object with its members in the order of the alphabet, as agave writes all of them. */
export function alphabetical(values: Record<string, unknown>): Record<string, unknown> {
  const sorted: Record<string, unknown> = {};
  for (const name of Object.keys(values).sort()) sorted[name] = values[name];
  return sorted;
}

export function struct(fields: Fields): Read {
  return (data) => alphabetical(readFields(fields, data));
}
