import { OTHER } from "./chart-data.ts";
import { lookOf, PALETTES, type SeriesLook, type Theme } from "./palette.ts";

/** What the names of a chart's series are: outcomes of calls have colours with a meaning. */
export type SeriesKind = "outcome" | "name";

const COLOURS = PALETTES.light.colours.length;
/** Places in the order in which they are given: plain colours, hatched ones, and red last, which looks like a failure. */
const PLACES: readonly number[] = [
  ...Array.from({ length: COLOURS - 1 }, (_, place) => place),
  ...Array.from({ length: COLOURS - 1 }, (_, place) => COLOURS + place),
  ...[COLOURS - 1, 2 * COLOURS - 1],
];

/** The places of the names that are seen most, so that no two of them get in each other's way. */
const OWN_PLACES: Readonly<Record<string, number>> = Object.fromEntries(
  [
    [
      ...["eth_call", "eth_getLogs", "eth_getBalance", "eth_blockNumber", "getBlock"],
      ...["eth_getTransactionReceipt", "getSlot", "eth_chainId", "eth_estimateGas"],
    ],
    ["p50", "p95", "p99"],
  ].flatMap((names) => names.map((name, index) => [name, PLACES[index] ?? 0])),
);

type OutcomeColours = {
  readonly ok: string;
  readonly partner: string;
  /** The chain's own answer that a call failed. */
  readonly reverted: string;
  readonly failed: readonly [string, string];
};

const OUTCOME_COLOURS: Readonly<Record<Theme, OutcomeColours>> = {
  light: {
    ...{ ok: "#2098db", partner: "#654abb", reverted: "#c47d04" },
    failed: ["#cc243d", "#7d0a1f"],
  },
  dark: {
    ...{ ok: "#6885f6", partner: "#a23db8", reverted: "#ecd69b" },
    failed: ["#f0524a", "#b3261e"],
  },
};

/**
 * How the series of a chart look. It hangs on their names, and on their order never: a method has its colour in every
 * chart, unless one beside it has the same one and goes first in the alphabet.
 */
export function looksOf(
  theme: Theme,
  names: readonly string[],
  kind: SeriesKind,
): ReadonlyMap<string, SeriesLook> {
  const places = placesOf(names.filter((name) => name !== OTHER));
  const look = (name: string): SeriesLook => {
    if (name === OTHER) return lookOf(theme, undefined);
    return kind === "outcome" ? outcomeLook(theme, name) : lookOf(theme, places.get(name));
  };
  return new Map(names.map((name) => [name, look(name)]));
}

function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const taken = new Set<number>();
  const isOwn = (name: string) => Object.hasOwn(OWN_PLACES, name);
  const sorted = names.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || (a < b ? -1 : 1));
  for (const name of sorted) {
    const place = OWN_PLACES[name] ?? freePlace(hashOf(name), taken);
    taken.add(place);
    places.set(name, place);
  }
  return places;
}

/** One that the hash chooses, of plain colours first. */
function freePlace(hash: number, taken: ReadonlySet<number>): number {
  const round = COLOURS - 1;
  for (const places of [PLACES.slice(0, round), PLACES.slice(round, 2 * round), PLACES.slice(-2)]) {
    const free = places.filter((place) => !taken.has(place));
    if (free.length > 0) return free[hash % free.length] ?? 0;
  }
  return hash % round;
}

/** Failures are red, and what the chain itself refused is not: nobody has to mend that. */
function outcomeLook(theme: Theme, outcome: string): SeriesLook {
  const { ok, partner, reverted, failed } = OUTCOME_COLOURS[theme];
  if (outcome === "ok") return { colour: ok, hatched: false };
  if (outcome === "partner") return { colour: partner, hatched: false };
  if (outcome === "revert") return { colour: reverted, hatched: false };
  if (outcome === "execution_failed") return { colour: reverted, hatched: true };
  if (outcome === "unavailable") return { colour: failed[0], hatched: false };
  const place = 1 + (hashOf(outcome) % 3);
  return { colour: failed[place % 2] ?? failed[0], hatched: place > 1 };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  }
  return hash >>> 0;
}
