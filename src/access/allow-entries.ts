import { cutText } from "../lib/cut-text.ts";
import { nearest } from "../lib/nearest.ts";
import { FAMILIES } from "../methods/families.ts";
import { ALLOW_KINDS, type AllowKind, type AllowLists } from "../storage/store.ts";
import { formatIpRange, parseIpRange } from "./ip-ranges.ts";
import { compileMethodPatterns, fitsMethod, isMethodPattern } from "./method-patterns.ts";
import { formatOriginPattern, parseOriginPattern } from "./origins.ts";

/** An entry of an allow-list as it is stored, or what is wrong with the text, for people. */
export type ParsedEntry = { readonly entry: string } | { readonly fault: string };

/** How a kind reads an entry: its canonical form, undefined if it is wrong; and what would be right. */
type Kind = {
  readonly read: (text: string) => string | undefined;
  readonly want: string;
};

const KINDS: Readonly<Record<AllowKind, Kind>> = Object.freeze({
  network: {
    read: (text) => matching(/^[a-z0-9_][a-z0-9._-]{0,63}$/, text.toLowerCase()),
    want: "a network's name, such as mainnet",
  },
  method: {
    read: (text) => (isMethodPattern(text) ? text : undefined),
    want: "a method's name, such as eth_call, or a pattern, such as eth_get*",
  },
  contract: {
    read: (text) => matching(/^0x[0-9a-f]{40}$/, text.toLowerCase()),
    want: "a contract's address: 0x and 40 hexadecimal digits",
  },
  origin: {
    read: (text) => {
      const pattern = parseOriginPattern(text);
      return pattern && formatOriginPattern(pattern);
    },
    want: "an origin without a path, such as https://app.example.com, https://*.example.com or localhost:3000",
  },
  ip: {
    read: (text) => {
      const range = parseIpRange(text);
      return range && formatIpRange(range);
    },
    want: "an IP address or a range, such as 10.0.0.1, 10.0.0.0/8 or fd00::/8",
  },
  agent: {
    // Headers arrive as bytes; beyond ASCII an entry could never be found in one.
    read: (text) => matching(/^[ -~]{1,200}$/, text),
    want: "a part of a User-Agent header: 1 to 200 printable ASCII characters, such as my-app/2",
  },
});

const QUOTED_CHARACTERS = 80;
/** The most entries of one kind: each call of a listed key is compared with all of them. */
export const MOST_ALLOW_ENTRIES = 100;
export const TOO_MANY_ENTRIES = `a key has at most ${MOST_ALLOW_ENTRIES} entries of a kind; remove some first`;

/** Reads an entry that somebody adds or removes: canonical, so that equal entries are equal texts. */
export function parseAllowEntry(kind: AllowKind, value: string): ParsedEntry {
  const text = value.trim();
  const { read, want } = KINDS[kind];
  const entry = read(text);
  if (entry !== undefined) return { entry };
  const shown = cutText(text, QUOTED_CHARACTERS);
  return { fault: `${JSON.stringify(shown)} cannot stand in a list of kind ${kind}; give ${want}` };
}

/**
 * Reads an entry that is new to a list: a network has to be one of the configuration's, and a method
 * or pattern has to fit a method that some family serves or knows as writing.
 */
export function parseNewEntry(
  kind: AllowKind,
  value: string,
  networks: readonly string[],
): ParsedEntry {
  const parsed = parseAllowEntry(kind, value);
  if ("fault" in parsed) return parsed;
  const fault =
    kind === "network"
      ? networkFault(parsed.entry, networks)
      : kind === "method"
        ? methodFault(parsed.entry)
        : undefined;
  return fault === undefined ? parsed : { fault };
}

function networkFault(name: string, networks: readonly string[]): string | undefined {
  if (networks.includes(name)) return undefined;
  return `there is no network ${JSON.stringify(name)}; the networks are ${networks.join(", ")}`;
}

function methodFault(entry: string): string | undefined {
  const families = Object.values(FAMILIES);
  // Methods that write are not served, but a list may name them already.
  if (families.some(({ isWriting }) => isWriting(entry))) return undefined;
  const names = families.flatMap(({ methods }) => methods.map(({ method }) => method));
  const pattern = compileMethodPatterns([entry]);
  if (names.some((name) => fitsMethod(pattern, name))) return undefined;
  const named = JSON.stringify(entry);
  if (entry.includes("*")) return `no method fits the pattern ${named}; give one such as eth_get*`;
  const near = nearest(entry, names);
  const right = near === undefined ? `give ${KINDS.method.want}` : `did you mean ${near}?`;
  return `there is no method ${named}; ${right}`;
}

/** Where a fault stands in lists that somebody gave. */
export type AllowListsFault = { readonly fault: string; readonly kind: AllowKind };

/**
 * Reads all lists of a key as they were written: canonical, without what is said twice and without
 * empty ones. Entries of `present` may stay, also where their network or method is no longer there.
 */
export function readAllowLists(
  lists: AllowLists,
  { networks, present = {} }: { networks: readonly string[]; present?: AllowLists },
): { readonly allow: AllowLists } | AllowListsFault {
  const allow: Partial<Record<AllowKind, readonly string[]>> = {};
  for (const kind of ALLOW_KINDS) {
    const entries = new Set<string>();
    for (const value of lists[kind] ?? []) {
      const stays = present[kind]?.includes(value) === true;
      const parsed = stays ? { entry: value } : parseNewEntry(kind, value, networks);
      if ("fault" in parsed) return { fault: parsed.fault, kind };
      entries.add(parsed.entry);
    }
    if (entries.size > MOST_ALLOW_ENTRIES) return { fault: TOO_MANY_ENTRIES, kind };
    if (entries.size > 0) allow[kind] = [...entries];
  }
  return { allow };
}

export function isAllowKind(text: string): text is AllowKind {
  return (ALLOW_KINDS as readonly string[]).includes(text);
}

function matching(form: RegExp, text: string): string | undefined {
  return form.test(text) ? text : undefined;
}
