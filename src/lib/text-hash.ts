import { crc32 } from "node:zlib";

/** A loop over a longer text takes longer than a call out of JavaScript, forty times for 10 KB. */
const SHORT_CHARS = 96;
/** FNV-1a, as its authors have it for 32 bits. */
const [FNV_BASIS, FNV_PRIME] = [0x811c9dc5, 0x01000193];

/**
 * Of 31 bits, so that V8 keeps it as a small integer; never 0. For tables: whoever wants to can make
 * two alike. FNV-1a of a short text, CRC-32 of a long one.
 */
export function textHash(text: string): number {
  return shortened(text.length > SHORT_CHARS ? crc32(text) : mixed(fnv(text, FNV_BASIS)));
}

type Begun = { readonly crc: number; readonly fnv: number };
/** What the texts so far that others begin with come to. */
const beginnings = new Map<string, Begun>();

/** The hash of both together, without making that text. `beginning`: one of few, which is remembered. */
export function joinedHash(beginning: string, rest: string): number {
  let begun = beginnings.get(beginning);
  if (begun === undefined) {
    begun = { crc: crc32(beginning), fnv: fnv(beginning, FNV_BASIS) };
    beginnings.set(beginning, begun);
  }
  const isLong = beginning.length + rest.length > SHORT_CHARS;
  return shortened(isLong ? crc32(rest, begun.crc) : mixed(fnv(rest, begun.fnv)));
}

/** Goes on from `hash`. */
function fnv(text: string, hash: number): number {
  let so = hash;
  for (let at = 0; at < text.length; at += 1) so = Math.imul(so ^ text.charCodeAt(at), FNV_PRIME);
  return so;
}

/** Tables look at the lower bits, to which the higher ones of the characters do not come. */
function mixed(hash: number): number {
  return hash ^ (hash >>> 15);
}

function shortened(crc: number): number {
  return crc & 0x7fff_ffff || 1;
}
