import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Due, fire, type Timer } from "../../lib/timer-wheel.ts";
import type { BlockHeader, TrackedUpstream } from "../tracked-upstream.ts";
import type { HeadChange } from "./head-listeners.ts";
import { HeadView } from "./head-view.ts";

/** Moved by hand. */
class Time {
  now = 0;
  readonly #timers = new Set<Timer>();
  readonly clock = { monotonic: () => this.now };
  readonly timers = {
    set: (delayMs: number, due: Due) => {
      const timer = { dueTick: this.now + delayMs, due, place: 0 };
      this.#timers.add(timer);
      return timer;
    },
    clear: (timer: Timer) => {
      this.#timers.delete(timer);
    },
  };

  advance(byMs: number): void {
    this.now += byMs;
    for (const timer of [...this.#timers]) {
      if (timer.dueTick <= this.now && this.#timers.delete(timer)) fire(timer.due);
    }
  }
}

type State = "closed" | "open" | "half-open";
type Node = TrackedUpstream & { drained: boolean; breaker: { state: State } };

const node = (index: number, role: "primary" | "partner" = "primary"): Node => ({
  name: `node-${index}`,
  role,
  index,
  drained: false,
  chain: "right",
  head: -1,
  isForked: false,
  forkedAfter: Number.POSITIVE_INFINITY,
  breaker: {
    state: "closed",
    probeDueAtMs: Number.POSITIVE_INFINITY,
    probeStarted: () => {},
    probeSucceeded: () => {},
  },
  allowance: { isPaused: () => false },
  lastError: { note: () => undefined },
  ask: () => {},
});

const hashOf = (number: number, fork: string): string => `0x${fork}${number}`;

/** Block `number` of a fork that left the chain `a` after block `after`. */
const block = (number: number, fork = "a", after = 0): BlockHeader => ({
  number,
  hash: hashOf(number, fork),
  parentHash: hashOf(number - 1, number - 1 > after ? fork : "a"),
  gasLimit: "0x1c9c380",
  timestamp: number * 12,
});

function network(roles: readonly ("primary" | "partner")[], confirmations = 1) {
  const time = new Time();
  const nodes = roles.map((role, index) => node(index, role));
  const view = new HeadView({ confirmations }, { ...time, upstreams: nodes });
  const changes: HeadChange[] = [];
  view.subscribe((change) => changes.push(change));
  const [a = node(0), b = node(1), c = node(2)] = nodes;
  return { time, nodes, view, changes, a, b, c };
}

test("a node has told of the chain since it came to it from another branch, whoever told of that first", () => {
  const { view, time, a, b } = network(["primary", "primary"]);
  const toldAt = (moment: number, upstream: Node, header: BlockHeader) => {
    time.now = moment;
    view.report(upstream, header);
  };
  for (const upstream of [a, b]) toldAt(10, upstream, block(10));
  for (const upstream of [a, b]) toldAt(20, upstream, block(11));
  expect([9, 10, 20].map((sinceMs) => view.hasTold(a, 11, sinceMs))).toEqual([false, true, true]);
  expect(view.hasTold(a, 12, 20)).toBe(false);
  toldAt(30, a, block(11, "b", 10));
  expect(view.hasTold(b, 11, 30)).toBe(false);
  expect([29, 30].map((sinceMs) => view.hasTold(a, 11, sinceMs))).toEqual([false, true]);
  toldAt(40, b, block(11, "b", 10));
  expect([39, 40].map((sinceMs) => view.hasTold(b, 11, sinceMs))).toEqual([false, true]);
  toldAt(50, b, block(12, "b", 10));
  toldAt(60, b, block(12, "b", 10));
  expect(view.hasTold(b, 12, 40)).toBe(true);
});

describe("the head", () => {
  test("is the highest block that a healthy primary has, with its hash and gas limit", () => {
    const { view, a, b, changes } = network(["primary", "primary"]);
    view.report(a, block(10));
    view.report(b, block(11));
    view.report(a, block(11));
    expect(view.head).toEqual({ number: 11, hash: hashOf(11, "a"), gasLimit: 30_000_000n });
    expect(changes).toEqual([
      { kind: "advance", from: -1, to: 10 },
      { kind: "advance", from: 10, to: 11 },
    ]);
  });

  test("waits for as many primaries as must confirm it, or as there are", () => {
    const { view, a, b } = network(["primary", "primary"], 2);
    view.report(a, block(10));
    view.report(b, block(10));
    view.report(a, block(11));
    expect(view.head?.number).toBe(10);
    expect(view.hashOf(11)).toBeUndefined();
    a.breaker.state = "open";
    view.report(b, block(11));
    expect(view.head?.number).toBe(11);
  });

  test("is not raised by a node of another chain, a drained one, or one that fails", () => {
    const { view, a, b } = network(["primary", "primary"]);
    view.report(a, block(10));
    b.chain = "wrong";
    view.report(b, block(11));
    b.chain = "right";
    b.drained = true;
    view.report(b, block(12));
    b.drained = false;
    b.breaker.state = "open";
    view.report(b, block(13));
    expect(view.head?.number).toBe(10);
  });

  test("is a partner's only while no primary is healthy", () => {
    const { view, a, b } = network(["primary", "partner"]);
    view.report(a, block(10));
    view.report(b, block(11));
    expect(view.head?.number).toBe(10);
    a.breaker.state = "open";
    view.refresh();
    expect(view.head?.number).toBe(11);
  });

  test("of primaries stays where a partner's chain has nothing of theirs", () => {
    const { view, a, b } = network(["primary", "partner"]);
    view.report(a, block(10));
    a.breaker.state = "open";
    view.report(b, block(12, "b"));
    view.forks.joins(b, -1);
    expect(view.head?.number).toBe(12);
    a.breaker.state = "closed";
    view.refresh();
    expect(view.shownHead?.number).toBe(10);
  });

  test("never goes back because a node does", () => {
    const { view, a, b, time } = network(["primary", "primary"]);
    view.report(a, block(10));
    view.report(a, block(11));
    view.report(b, block(10));
    a.breaker.state = "open";
    time.advance(29_000);
    view.report(b, block(10));
    expect(view.head?.number).toBe(11);
  });

  test("falls back when no healthy node has had it for 30 s, and says so", () => {
    const { view, a, b, time, changes } = network(["primary", "primary"]);
    view.report(a, block(10));
    view.report(b, block(10));
    view.report(a, block(11));
    a.breaker.state = "open";
    view.refresh();
    time.advance(30_001);
    expect(view.head?.number).toBe(10);
    expect(changes.at(-1)).toEqual({ kind: "reorg", commonAncestor: 10, from: 11, to: 10 });
  });

  test("follows a node that was restarted with another chain, where there is no other", () => {
    const { view, a, time, changes } = network(["primary"]);
    view.report(a, block(1000));
    view.report(a, block(3, "b"), 1);
    expect(a.isForked).toBe(true);
    time.advance(30_001);
    expect(view.head).toMatchObject({ number: 3, hash: hashOf(3, "b") });
    expect(a.isForked).toBe(false);
    expect(changes.at(-1)).toEqual({ kind: "reorg", commonAncestor: -1, from: 1000, to: 3 });
  });

  test("is raised by an answer that shows a higher block, whose hash comes later", () => {
    const { view, a } = network(["primary"]);
    view.report(a, block(10));
    view.seen(a, 11);
    expect(view.head).toMatchObject({ number: 11, hash: undefined, gasLimit: 30_000_000n });
    view.report(a, block(11));
    expect(view.head?.hash).toBe(hashOf(11, "a"));
  });

  test("where the block that an answer showed was replaced before its node told of it, that is a reorganisation", () => {
    const { view, a, changes } = network(["primary"]);
    view.report(a, block(10));
    view.seen(a, 11, hashOf(11, "b"));
    expect(view.newestHashed).toBe(10);
    view.report(a, block(12));
    view.forks.learn(block(11));
    expect(view.head).toMatchObject({ number: 12, hash: hashOf(12, "a") });
    expect(changes.at(-1)).toEqual({ kind: "reorg", commonAncestor: 10, from: 11, to: 12 });
    view.seen(a, 13, hashOf(13, "b"));
    view.report(a, block(13));
    expect(changes.at(-1)).toEqual({ kind: "reorg", commonAncestor: 12, from: 13, to: 13 });
  });

  test("where it is the block that an answer showed, or the parent of one, that is none", () => {
    const { view, a, changes } = network(["primary"]);
    view.report(a, block(10));
    view.seen(a, 12, hashOf(12, "a"));
    view.seen(a, 13, hashOf(13, "a"));
    for (const number of [11, 12, 13]) view.forks.learn(block(number));
    view.report(a, block(14));
    expect(view.head?.number).toBe(14);
    expect(changes.map(({ kind }) => kind)).not.toContain("reorg");
  });

  test("where answers showed different blocks, or no hash, it may have been replaced", () => {
    for (const hashes of [
      [hashOf(11, "b"), hashOf(11, "a")],
      [undefined, hashOf(11, "a")],
    ]) {
      const { view, a, changes } = network(["primary"]);
      view.report(a, block(10));
      const fits = hashes.map((hash) => !view.seen(a, 11, hash));
      expect(fits).toEqual([true, false]);
      view.report(a, block(11));
      expect(changes.at(-1)).toEqual({ kind: "reorg", commonAncestor: 10, from: 11, to: 11 });
    }
  });

  test("an older answer of a node does not undo what it has shown since", () => {
    const { view, a, time } = network(["primary"]);
    view.report(a, block(10));
    time.advance(100);
    view.seen(a, 11);
    view.report(a, block(10), 50);
    expect(a.head).toBe(11);
    time.advance(100);
    view.report(a, block(10), 150);
    expect(a.head).toBe(10);
  });
});

describe("forks", () => {
  test("of two the first configured primary's is right, and the other node is marked", () => {
    const { view, a, b, changes } = network(["primary", "primary"]);
    view.report(a, block(10));
    view.report(b, block(10));
    view.report(b, block(11, "b", 10));
    expect(view.head?.hash).toBe(hashOf(11, "b"));
    view.report(a, block(11));
    expect(view.head?.hash).toBe(hashOf(11, "a"));
    expect([a.isForked, b.isForked]).toEqual([false, true]);
    expect([a.forkedAfter, b.forkedAfter]).toEqual([Number.POSITIVE_INFINITY, 10]);
    expect(changes.at(-1)).toEqual({ kind: "reorg", commonAncestor: 10, from: 11, to: 11 });
  });

  test("what a node told before its chain was unknown says nothing of who answers there now", () => {
    const { view, a, b, changes } = network(["primary", "primary"]);
    for (const one of [a, b]) view.report(one, block(10));
    view.report(a, block(11));
    a.chain = "unknown";
    a.head = -1;
    for (const number of [11, 12]) view.report(b, block(number, "b", 10));
    a.chain = "right";
    view.seen(a, 11);
    expect(view.head?.hash).toBe(hashOf(12, "b"));
    expect(changes.at(-1)).toMatchObject({ to: 12 });
    view.report(a, block(12, "b", 10));
    expect([a.isForked, b.isForked]).toEqual([false, false]);
  });

  test("a node that comes back to a lower block has not what it had of its fork", () => {
    const { view, a, b } = network(["primary", "primary"]);
    view.report(a, block(10));
    view.report(b, block(10));
    view.report(a, block(11));
    view.report(b, block(13, "b", 9));
    view.report(b, block(10, "b", 9));
    view.report(b, block(13, "b", 9));
    expect(b.isForked).toBe(true);
    view.report(b, block(11));
    expect(b).toMatchObject({ isForked: false, forkedAfter: Number.POSITIVE_INFINITY, head: 11 });
    expect(view.head?.number).toBe(11);
  });

  test("what answers showed of a node that has not told since is no part of the new chain", () => {
    const { view, a, b } = network(["primary", "primary"]);
    for (const one of [a, b]) view.report(one, block(10));
    for (const number of [11, 12]) view.report(a, block(number));
    view.seen(b, 12);
    expect(b.head).toBe(12);
    for (const number of [11, 12, 13]) view.report(a, block(number, "b", 10));
    expect([b.head, b.isForked]).toEqual([10, false]);
    view.report(b, block(12));
    expect([b.head, b.isForked]).toEqual([12, true]);
    for (const number of [11, 12]) view.report(b, block(number, "b", 10));
    expect([b.head, b.isForked]).toEqual([12, false]);
  });

  test("what a node said after it had left its head does not join that to the chain", () => {
    const { view, a, b, changes } = network(["primary", "primary"]);
    view.report(a, block(10));
    view.report(b, block(10));
    view.report(a, block(11));
    view.report(b, block(12, "b", 5));
    view.forks.learn(block(11, "b", 5));
    // It is back on our chain by the time at which it is asked.
    view.forks.joins(b, 11);
    expect(view.head).toMatchObject({ number: 11, hash: hashOf(11, "a") });
    expect(b.isForked).toBe(true);
    expect(changes.every(({ kind }) => kind === "advance")).toBe(true);
  });

  test("a node comes back with its first block of the right chain", () => {
    const { view, a, b } = network(["primary", "primary"]);
    view.report(a, block(10));
    view.report(b, block(10));
    view.report(a, block(11));
    view.report(b, block(11, "b", 10));
    expect(b.isForked).toBe(true);
    view.report(a, block(12));
    view.report(b, block(12));
    expect(b.isForked).toBe(false);
  });

  test("what a node said since it left the chain is doubted once", () => {
    const { view, a, b, changes } = network(["primary", "primary"]);
    view.report(a, block(10));
    view.report(b, block(10));
    view.report(a, block(11));
    const before = changes.length;
    view.report(b, block(11, "b", 10));
    view.report(b, block(12, "b", 10));
    expect(changes.slice(before)).toEqual([
      { kind: "reorg", commonAncestor: 10, from: 11, to: 11 },
    ]);
  });

  test("a first primary that lags does not decide", () => {
    const { view, a, b, changes } = network(["primary", "primary"]);
    view.report(a, block(10));
    view.report(b, block(10));
    view.report(a, block(11));
    for (let number = 11; number <= 16; number += 1) view.report(b, block(number, "b", 10));
    expect(view.head?.hash).toBe(hashOf(11, "a"));
    view.report(b, block(17, "b", 10));
    expect(view.head?.hash).toBe(hashOf(17, "b"));
    expect(view.hashOf(11)).toBe(hashOf(11, "b"));
    expect([a.isForked, b.isForked]).toEqual([true, false]);
    expect(changes.at(-1)).toEqual({ kind: "reorg", commonAncestor: 10, from: 11, to: 17 });
  });

  test("a height that would be forgotten with the chain that it replaced replaces none", () => {
    const { view, a, b, c, changes } = network(["primary", "primary", "primary"]);
    view.report(c, block(100));
    view.report(a, block(101));
    view.report(b, block(105, "b", 100));
    for (const number of [104, 103, 102, 101]) view.forks.learn(block(number, "b", 100));
    expect(view.hashOf(101)).toBe(hashOf(101, "a"));
    const before = changes.length;
    // The first lags behind this, and not behind what is known once that is forgotten.
    view.seen(c, 107);
    expect(view.hashOf(101)).toBe(hashOf(101, "a"));
    expect(changes.slice(before)).toEqual([
      { kind: "reorg", commonAncestor: 100, from: 101, to: 101 },
    ]);
    for (const one of [a, b]) view.report(one, view.tipOf(one) ?? block(101));
    expect(changes).toHaveLength(before + 1);
  });

  test("listeners are told again of a node whose fork parts further below than they were told", () => {
    const { view, a, b, changes } = network(["primary", "primary"]);
    for (let number = 1; number <= 20; number += 1) {
      for (const one of [a, b]) view.report(one, block(number));
    }
    const told = (): HeadChange[] => changes.splice(0);
    told();
    view.report(b, block(20, "b", 18));
    view.forks.learn(block(19, "b", 18));
    expect(told()).toEqual([{ kind: "reorg", commonAncestor: 18, from: 20, to: 20 }]);
    // What it answered for block 17 while it counted may be of the fork that it shows only now.
    view.report(b, block(20, "c", 16));
    for (const number of [19, 18, 17]) view.forks.learn(block(number, "c", 16));
    expect(told()).toEqual([{ kind: "reorg", commonAncestor: 16, from: 20, to: 20 }]);
    view.report(b, block(20, "b", 18));
    view.report(b, block(20, "c", 16));
    expect(told()).toEqual([]);
  });

  test.each([
    { fork: "b", told: { kind: "reorg", commonAncestor: 39, from: 100, to: 103 } },
    { fork: "a", told: { kind: "advance", from: 100, to: 104 } },
  ] as const)(
    "listeners are told of a fork that a node left before it was known where that parted ($fork)",
    ({ fork, told }) => {
      const { view, a, changes } = network(["primary"]);
      view.report(a, block(100));
      view.report(a, block(103, fork, 98));
      // The parents of that one were never found.
      const tip = fork === "a" ? 104 : 103;
      view.report(a, block(tip));
      for (const number of [103, 102, 101]) if (number < tip) view.forks.learn(block(number));
      expect(changes.slice(1)).toEqual([told]);
      view.report(a, block(tip + 1));
      expect(changes).toHaveLength(3);
    },
  );

  test("a first primary that was restarted empty does not decide while others have hiccups", () => {
    const { view, a, b } = network(["primary", "primary"]);
    for (let number = 1; number <= 100; number += 1) view.report(a, block(number));
    view.report(b, block(100));
    b.breaker.state = "open";
    view.report(a, block(50, "b", 20), 1);
    for (let number = 49; number > 20; number -= 1) view.forks.learn(block(number, "b", 20));
    expect(view.head?.hash).toBe(hashOf(100, "a"));
    view.report(b, block(100));
    b.breaker.state = "closed";
    view.refresh();
    expect(view.head?.hash).toBe(hashOf(100, "a"));
    expect(a.isForked).toBe(true);
  });

  test("a reorganisation can make the head lower, and moves every hash at once", () => {
    const { view, a, changes } = network(["primary"]);
    for (let number = 1; number <= 20; number += 1) view.report(a, block(number));
    view.report(a, block(18, "b", 15));
    expect(view.forks.missing(a)).toEqual({ kind: "parent", hash: hashOf(17, "b") });
    view.forks.learn(block(17, "b", 15));
    view.forks.learn(block(16, "b", 15));
    expect(view.forks.missing(a)).toBeUndefined();
    expect(changes.at(-1)).toEqual({ kind: "reorg", commonAncestor: 15, from: 20, to: 18 });
    expect(view.hashOf(19)).toBeUndefined();
    expect(view.hashOf(17)).toBe(hashOf(17, "b"));
    expect(view.hashOf(15)).toBe(hashOf(15, "a"));
    expect(view.numberOf(hashOf(19, "a"))).toBeUndefined();
    expect(view.numberOf(hashOf(17, "b"))).toBe(17);
  });

  test("a jump of more blocks than are asked for is an advance where the chain is the same", () => {
    const { view, a, changes } = network(["primary"]);
    view.report(a, block(10));
    view.report(a, block(500));
    expect(view.head?.number).toBe(10);
    expect(view.forks.missing(a)).toEqual({ kind: "far" });
    expect(view.forks.landmarks(a)).toEqual([10]);
    view.forks.joins(a, 10);
    expect(changes.at(-1)).toEqual({ kind: "advance", from: 10, to: 500 });
    view.report(a, block(501));
    expect(view.head?.number).toBe(501);
  });

  test("such a jump on another chain is a reorganisation", () => {
    const { view, a, changes } = network(["primary"]);
    view.report(a, block(10));
    view.report(a, block(500, "b"));
    view.forks.joins(a, -1);
    expect(changes.at(-1)).toEqual({ kind: "reorg", commonAncestor: -1, from: 10, to: 500 });
  });

  test("a parent whose number does not fit is none", () => {
    const { view, a } = network(["primary"]);
    view.report(a, block(10));
    view.report(a, { ...block(12), parentHash: "0xliar" });
    view.forks.learn({ ...block(9), hash: "0xliar" });
    expect(view.head?.number).toBe(10);
  });
});

describe("listeners", () => {
  test("hear of a change that a listener causes after the one that caused it", () => {
    const { view, a } = network(["primary"]);
    view.subscribe(({ to }) => {
      if (to === 10) view.report(a, block(11));
    });
    const heard: number[] = [];
    view.subscribe(({ to }) => heard.push(to));
    view.report(a, block(10));
    expect(heard).toEqual([10, 11]);
  });

  test("hear nothing after they left", () => {
    const { view, a } = network(["primary"]);
    const heard: number[] = [];
    const leave = view.subscribe(({ to }) => heard.push(to));
    leave();
    view.report(a, block(10));
    expect(heard).toEqual([]);
  });
});

/** All blocks that anybody mined, and where each node is. */
class World {
  readonly blocks = new Map<string, BlockHeader>();
  readonly at: BlockHeader[];
  #mined = 0;

  constructor(nodes: number) {
    const genesis = this.#add(100, "0xnone");
    this.at = Array.from({ length: nodes }, () => genesis);
  }

  #add(number: number, parentHash: string): BlockHeader {
    this.#mined += 1;
    const hash = `0x${this.#mined}`;
    const mined = { number, hash, parentHash, gasLimit: "0x1", timestamp: number };
    this.blocks.set(hash, mined);
    return mined;
  }

  mine(on: BlockHeader): BlockHeader {
    return this.#add(on.number + 1, on.hash);
  }

  back(from: BlockHeader, blocks: number): BlockHeader {
    const parent = this.blocks.get(from.parentHash);
    return blocks === 0 || parent === undefined ? from : this.back(parent, blocks - 1);
  }

  hasBlock(tip: BlockHeader, { number, hash }: { number: number; hash: string }): boolean {
    return this.back(tip, Math.max(tip.number - number, 0)).hash === hash;
  }
}

type Action =
  | { readonly kind: "mine"; readonly on: number; readonly who: number; readonly count: number }
  | { readonly kind: "fork"; readonly who: number; readonly depth: number }
  | { readonly kind: "follow"; readonly who: number; readonly whom: number }
  | { readonly kind: "report" | "seen"; readonly who: number }
  | { readonly kind: "health"; readonly who: number; readonly state: State }
  | { readonly kind: "wait"; readonly ms: number };

const who = fc.nat({ max: 4 });
const actions: fc.Arbitrary<readonly Action[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("mine" as const),
        on: who,
        who,
        count: fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 90 })),
      }),
    },
    fc.record({ kind: fc.constant("fork" as const), who, depth: fc.nat({ max: 8 }) }),
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("follow" as const), who, whom: who }) },
    {
      weight: 8,
      arbitrary: fc.record({ kind: fc.constantFrom("report" as const, "seen" as const), who }),
    },
    fc.record({
      kind: fc.constant("health" as const),
      who,
      state: fc.constantFrom<State>("closed", "closed", "open"),
    }),
    fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(10, 1000, 31_000) }),
  ),
  { maxLength: 120, size: "max" },
);

/** Checks the view against what listeners were told, after each action. */
class Witness {
  readonly #view: HeadView;
  readonly #nodes: readonly Node[];
  #told = -1;
  #visible = new Map<number, string>();
  #shown = -1;
  #wasShown = -1;
  /** Of the reorganisations since what primaries have shown last moved. */
  #lowestAncestor = Number.POSITIVE_INFINITY;
  /** The highest block that a primary ever had. */
  #highest = -1;

  constructor(view: HeadView, nodes: readonly Node[]) {
    this.#view = view;
    this.#nodes = nodes;
    view.subscribe((change) => {
      expect(change.from).toBe(this.#told);
      const shown = view.shownHead?.number ?? -1;
      if (change.kind === "advance") {
        const isShown = change.to === change.from && shown !== this.#wasShown;
        if (!isShown) expect(change.to).toBeGreaterThan(change.from);
      } else {
        this.#lowestAncestor = Math.min(this.#lowestAncestor, change.commonAncestor);
        expect(change.commonAncestor).toBeLessThan(change.from);
        expect(change.to).toBeGreaterThanOrEqual(Math.min(change.commonAncestor, change.from));
        for (const number of [...this.#visible.keys()]) {
          if (number > change.commonAncestor) this.#visible.delete(number);
        }
      }
      this.#told = change.to;
      this.#wasShown = shown;
    });
  }

  check(blocks: ReadonlyMap<string, BlockHeader>): void {
    const head = this.#view.head?.number ?? -1;
    expect(head).toBe(this.#told);
    this.#checkShown();
    let child: string | undefined;
    for (let number = head; number > Math.max(head - 300, -1); number -= 1) {
      const hash = this.#view.hashOf(number);
      if (hash === undefined) {
        child = undefined;
        continue;
      }
      const before = this.#visible.get(number);
      if (before !== undefined) expect(hash, `block ${number} changed untold`).toBe(before);
      this.#visible.set(number, hash);
      if (child !== undefined) expect(blocks.get(child)?.parentHash).toBe(hash);
      child = hash;
    }
  }

  /** What primaries have shown: no partner moves it, and it goes back only in reorganisations. */
  #checkShown(): void {
    const shown = this.#view.shownHead?.number ?? -1;
    for (const { role, head } of this.#nodes) {
      if (role === "primary") this.#highest = Math.max(this.#highest, head);
    }
    if (shown === this.#shown) return;
    expect(this.#view.hasHealthyPrimary).toBe(true);
    expect(shown).toBeLessThanOrEqual(this.#highest);
    if (shown < this.#shown) expect(this.#lowestAncestor).toBeLessThan(this.#shown);
    this.#shown = shown;
    this.#lowestAncestor = Number.POSITIVE_INFINITY;
  }
}

/** Gives the view what it misses, as nodes would. */
function link(view: HeadView, nodes: readonly Node[], world: World): void {
  for (let tries = 0; tries < 1000; tries += 1) {
    const needy = nodes.find((one) => view.forks.missing(one) !== undefined);
    if (needy === undefined) return;
    const missing = view.forks.missing(needy);
    const tip = view.tipOf(needy);
    const parent = missing?.kind === "parent" ? world.blocks.get(missing.hash) : undefined;
    if (parent !== undefined) view.forks.learn(parent);
    else {
      const ours = view.forks.landmarks(needy).find((number) => {
        const theirs = tip && world.back(tip, tip.number - number);
        return theirs?.number === number && view.isOurs(theirs) === true;
      });
      view.forks.joins(needy, ours ?? -1);
    }
  }
  throw new Error("the view never has enough");
}

describe("over any history of forks, failures and reports", () => {
  const run = (history: readonly Action[], confirmations: number, linked: boolean) => {
    const { view, nodes, time, changes } = network(
      ["primary", "primary", "partner", "primary", "primary"],
      confirmations,
    );
    const world = new World(nodes.length);
    const witness = new Witness(view, nodes);
    for (const action of history) {
      step(action, { view, nodes, time, world, confirmations, told: changes });
      if (linked) link(view, nodes, world);
      witness.check(world.blocks);
      if (linked) verdicts(view, nodes, world);
    }
  };

  test("the head goes back only in reorganisations that listeners were told of", () => {
    fc.assert(fc.property(actions, fc.integer({ min: 1, max: 3 }), fc.boolean(), run), {
      numRuns: 600,
    });
  });
});

type Scene = {
  readonly view: HeadView;
  readonly nodes: readonly Node[];
  readonly time: Time;
  readonly world: World;
  readonly confirmations: number;
  readonly told: readonly HeadChange[];
};

function step(action: Action, scene: Scene): void {
  if (action.kind === "wait") scene.time.advance(action.ms);
  else act(action, scene);
}

function act(action: Exclude<Action, { kind: "wait" }>, scene: Scene): void {
  const { view, nodes, time, world, told } = scene;
  const who = nodes[action.who];
  const at = world.at[action.who];
  if (who === undefined || at === undefined) return;
  const before = view.head?.number ?? -1;
  switch (action.kind) {
    case "mine": {
      let tip = world.at[action.on] ?? at;
      for (let count = 0; count < action.count; count += 1) tip = world.mine(tip);
      world.at[action.who] = tip;
      return;
    }
    case "fork":
      world.at[action.who] = world.mine(world.back(at, action.depth));
      return;
    case "follow":
      world.at[action.who] = world.at[action.whom] ?? at;
      return;
    case "report":
      time.advance(10);
      view.report(who, at, time.now);
      break;
    case "seen":
      if (view.tipOf(who) !== undefined && world.hasBlock(at, view.tipOf(who) ?? at)) {
        view.seen(who, at.number);
      }
      break;
    case "health":
      who.breaker.state = action.state;
      view.refresh();
      return;
  }
  const head = view.head?.number ?? -1;
  if (head > before && told.at(-1)?.kind === "advance") confirmed(nodes, scene);
}

/** A head that advanced is one that enough of the nodes have which count. */
function confirmed(nodes: readonly Node[], { view, confirmations }: Scene): void {
  const head = view.head?.number ?? -1;
  const healthy = nodes.filter(
    (one) => one.breaker.state !== "open" && view.tipOf(one) !== undefined,
  );
  const primaries = healthy.filter(({ role }) => role === "primary");
  const heard = (primaries.length > 0 ? primaries : healthy).filter((one) => !one.isForked);
  const having = heard.filter((one) => one.head >= head).length;
  expect(having).toBeGreaterThanOrEqual(Math.max(Math.min(confirmations, heard.length), 1));
}

/** With nothing missing, each node in health is marked as what it is, and the first one decides. */
function verdicts(view: HeadView, nodes: readonly Node[], world: World): void {
  const newest = view.newestHeader;
  if (newest === undefined) return;
  for (const one of nodes) {
    const tip = view.tipOf(one);
    if (tip === undefined || one.breaker.state === "open" || one.role === "partner") continue;
    const isOurs = view.isOurs(tip);
    if (isOurs !== undefined) expect(one.isForked, one.name).toBe(!isOurs);
    else if (tip.number > newest.number) expect(world.hasBlock(tip, newest)).toBe(false);
  }
  const primaries = nodes.filter((one) => one.role === "primary" && view.tipOf(one) !== undefined);
  const healthy = primaries.filter((one) => one.breaker.state !== "open");
  const top = Math.max(...healthy.map(({ head }) => head));
  const first = healthy.find(({ head }) => head + 5 >= top);
  // One that fails for a moment is ahead: what it has may be right.
  const isSure = first !== undefined && primaries.every(({ head }) => first.head + 5 >= head);
  const tip = isSure ? view.tipOf(first) : undefined;
  if (tip !== undefined) expect(view.isOurs(tip)).not.toBe(false);
}
