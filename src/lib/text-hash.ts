import { crc32 } from "node:zlib";

/**
 * CRC-32 of the text without its highest bit, so that V8 keeps it as a small integer; never 0. For
 * tables: whoever wants to can make two alike. Native, since a loop over the characters of a key takes
 * twice as long, and forty times for one of 10 KB.
 */
export function textHash(text: string): number {
  return shortened(crc32(text));
}

/** What the texts so far that others begin with come to. */
const beginnings = new Map<string, number>();

/** The hash of both together, without making that text. `beginning`: one of few, which is remembered. */
export function joinedHash(beginning: string, rest: string): number {
  let begun = beginnings.get(beginning);
  if (begun === undefined) {
    begun = crc32(beginning);
    beginnings.set(beginning, begun);
  }
  return shortened(crc32(rest, begun));
}

function shortened(crc: number): number {
  return crc & 0x7fff_ffff || 1;
}
