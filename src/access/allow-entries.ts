import { ALLOW_KINDS, type AllowKind } from "../storage/store.ts";
import { formatIpRange, parseIpRange } from "./ip-ranges.ts";
import { isMethodPattern } from "./method-patterns.ts";
import { formatOriginPattern, parseOriginPattern } from "./origins.ts";

/** An entry of an allow-list as it is stored, or what is wrong with the text, for people. */
export type ParsedEntry = { readonly entry: string } | { readonly fault: string };

/** Of each kind: the entry in canonical form, undefined for nonsense; and what would be right. */
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

/** Reads an entry that somebody adds or removes: canonical, so that equal entries are equal texts. */
export function parseAllowEntry(kind: AllowKind, value: string): ParsedEntry {
  const text = value.trim();
  const { read, want } = KINDS[kind];
  const entry = read(text);
  if (entry !== undefined) return { entry };
  const shown = text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text;
  return { fault: `${JSON.stringify(shown)} cannot stand in a list of kind ${kind}; give ${want}` };
}

export function isAllowKind(text: string): text is AllowKind {
  return (ALLOW_KINDS as readonly string[]).includes(text);
}

function matching(form: RegExp, text: string): string | undefined {
  return form.test(text) ? text : undefined;
}
