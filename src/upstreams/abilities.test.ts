import fc from "fast-check";
import { expect, test } from "vitest";
import { Abilities, type AbilitiesOptions } from "./abilities.ts";

const TEN_MINUTES = 600_000;
const setUp = (options: Partial<AbilitiesOptions> = {}) => {
  const time = { now: 0 };
  const all = { lacks: [], archive: "auto" as const, ...options };
  return { time, abilities: new Abilities(all, { monotonic: () => time.now }) };
};

test("a method that the configuration names is lacked for ever, no other one", () => {
  const { time, abilities } = setUp({ lacks: ["eth_getProof"] });
  time.now = 1e9;
  expect(abilities.lacks("eth_getProof")).toBe(true);
  expect(abilities.lacks("eth_getLogs")).toBe(false);
});

test("a method that was found lacking is for ten minutes", () => {
  const { time, abilities } = setUp();
  abilities.foundLacking("eth_getProof");
  time.now = TEN_MINUTES - 1;
  expect(abilities.lacks("eth_getProof")).toBe(true);
  expect(abilities.lacks("eth_call")).toBe(false);
  time.now = TEN_MINUTES;
  expect(abilities.lacks("eth_getProof")).toBe(false);
});

test("archive: true never doubts a state, archive: false all from 128 blocks on", () => {
  const archive = setUp({ archive: true }).abilities;
  archive.missedState(5);
  expect(archive.keepsState(5)).toBe(true);
  expect(archive.archiveDepth).toBe(Number.POSITIVE_INFINITY);

  const recent = setUp({ archive: false }).abilities;
  expect([127, 128].map((depth) => recent.keepsState(depth))).toEqual([true, false]);
  recent.hasState(1000);
  expect(recent.keepsState(1000)).toBe(false);
  expect(recent.archiveDepth).toBe(128);
  recent.missedState(64);
  expect([63, 64].map((depth) => recent.keepsState(depth))).toEqual([true, false]);
  expect(recent.archiveDepth).toBe(64);
});

test("an answer from a state that was not in doubt takes no doubt away", () => {
  const { abilities } = setUp();
  abilities.missedState(100);
  abilities.hasState(99);
  expect([99, 100].map((depth) => abilities.keepsState(depth))).toEqual([true, false]);
});

test("what is learnt of states is shown while it holds", () => {
  const { time, abilities } = setUp();
  expect(abilities.archiveDepth).toBeUndefined();
  abilities.missedState(300);
  expect(abilities.archiveDepth).toBe(300);
  time.now = TEN_MINUTES;
  expect(abilities.archiveDepth).toBeUndefined();
  abilities.missedState(500);
  expect(abilities.archiveDepth).toBe(500);
});

const step = fc.record({
  kind: fc.constantFrom("missed", "has"),
  depth: fc.nat({ max: 300 }),
  waitMs: fc.oneof(fc.nat({ max: 1000 }), fc.nat({ max: 700_000 })),
});
type Event = { readonly kind: string; readonly depth: number; readonly at: number };

/** The events in whose light a state is doubtful: as the last answers about it, or shallower ones. */
const lastWord = (events: readonly Event[], depth: number): Event | undefined =>
  events.findLast((event) =>
    event.kind === "missed" ? event.depth <= depth : event.depth >= depth,
  );

test("a missing state makes all deeper ones doubtful for ten minutes, and an answer ends that", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.nat({ max: 300 }), (steps, asked) => {
      const { time, abilities } = setUp();
      const events: Event[] = [];
      for (const { kind, depth, waitMs } of steps) {
        time.now += waitMs;
        if (kind === "missed") abilities.missedState(depth);
        else abilities.hasState(depth);
        events.push({ kind, depth, at: time.now });
        expect(abilities.keepsState(depth)).toBe(kind === "has");
      }
      const misses = events.filter(
        ({ kind, at }) => kind === "missed" && time.now - at < TEN_MINUTES,
      );
      if (misses.length === 0) expect(abilities.keepsState(asked)).toBe(true);
      if (lastWord(events, asked)?.kind === "has") expect(abilities.keepsState(asked)).toBe(true);
      const since = events.slice(events.findLastIndex(({ kind }) => kind === "has") + 1);
      const isDoubtful = since.some((event) => event.depth <= asked && misses.includes(event));
      if (isDoubtful) expect(abilities.keepsState(asked)).toBe(false);
    }),
    { numRuns: 1000 },
  );
});
