import { describe, expect, test } from "vitest";
import { type Due, dueTickAfter, fire, TICK_MS, type Timer } from "../../lib/timer-wheel.ts";
import type { UpstreamRequest } from "../../transports/transport.ts";
import { Breaker } from "../../upstreams/breaker.ts";
import type { HeadSource } from "../../upstreams/upstream.ts";
import type { BlockHeader, TrackedUpstream } from "../tracked-upstream.ts";
import type { HeadChange } from "./head-listeners.ts";
import { HeadTracker } from "./head-tracker.ts";
import { HeadView } from "./head-view.ts";

/** `set`: those of one moment happen in the order in which they were set. */
type Event = Timer & { readonly set: number };

const isLater = (one: Event | undefined, other: Event | undefined): boolean => {
  if (one === undefined || other === undefined) return one === undefined;
  return one.dueTick === other.dueTick ? one.set > other.set : one.dueTick > other.dueTick;
};

/** Virtual time; timers fire as late as those of the timer wheel do. */
class Time {
  now = 0;
  #set = 0;
  readonly #heap: Event[] = [];
  readonly #dropped = new Set<object>();
  readonly clock = { monotonic: () => this.now };
  readonly timers = {
    set: (delayMs: number, due: Due): Event => {
      return this.at(dueTickAfter(delayMs, this.now) * TICK_MS, due);
    },
    clear: (event: Timer): void => {
      this.#dropped.add(event);
    },
  };

  at(dueTick: number, due: Due): Event {
    this.#set += 1;
    const event = { dueTick, set: this.#set, due, place: 0 };
    const heap = this.#heap;
    let place = heap.push(event) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!isLater(heap[above], event)) break;
      heap[place] = heap[above] ?? event;
      place = above;
    }
    heap[place] = event;
    return event;
  }

  after(delayMs: number, run: () => void): void {
    this.at(this.now + delayMs, run);
  }

  run(untilMs: number): void {
    for (let next = this.#heap[0]; next && next.dueTick <= untilMs; next = this.#heap[0]) {
      this.#pop();
      this.now = Math.max(this.now, next.dueTick);
      if (!this.#dropped.delete(next)) fire(next.due);
    }
    this.now = untilMs;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= heap.length) break;
      if (isLater(heap[below], heap[below + 1])) below += 1;
      if (!isLater(last, heap[below])) break;
      heap[place] = heap[below] ?? last;
      place = below;
    }
    heap[place] = last;
  }
}

/** Random numbers that a seed repeats (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const hex = (number: number): string => `0x${number.toString(16)}`;
const hash = (id: number): string => `0x${id.toString(16).padStart(64, "0")}`;

/** All blocks that anybody mined. */
class Chain {
  readonly blocks = new Map<string, BlockHeader>();
  readonly genesis: BlockHeader;
  #mined: number;

  /** `mined` sets its hashes apart from those of other chains. */
  constructor(start = 1000, mined = 0) {
    this.#mined = mined;
    this.genesis = this.#add(start, hash(0), 0);
  }

  mine(on: BlockHeader, nowMs: number): BlockHeader {
    return this.#add(on.number + 1, on.hash, nowMs);
  }

  back(from: BlockHeader, number: number): BlockHeader | undefined {
    let at: BlockHeader | undefined = from;
    while (at !== undefined && at.number > number) at = this.blocks.get(at.parentHash);
    return at?.number === number ? at : undefined;
  }

  #add(number: number, parentHash: string, nowMs: number): BlockHeader {
    this.#mined += 1;
    const timestamp = Math.floor(nowMs / 1000) + 1_700_000_000;
    const block = { number, hash: hash(this.#mined), parentHash, gasLimit: "0x1", timestamp };
    this.blocks.set(block.hash, block);
    return block;
  }
}

type NodeOptions = {
  readonly role?: "primary" | "partner";
  readonly latencyMs?: number;
  readonly delayMs?: number;
  readonly hasSocket?: boolean;
};

class SimulatedNode implements TrackedUpstream {
  readonly name: string;
  readonly role: "primary" | "partner";
  readonly index: number;
  readonly breaker: Breaker;
  readonly allowance = { isPaused: () => this.isPaused };
  readonly lastError = { note: () => undefined };
  readonly heads: HeadSource | undefined;
  drained = false;
  chain: "unknown" | "right" | "wrong" = "unknown";
  head = -1;
  isForked = false;
  forkedAfter = Number.POSITIVE_INFINITY;
  isPaused = false;
  /** What the node is like. */
  tip: BlockHeader;
  chainId = 1;
  isDown = false;
  isMute = false;
  /** It is on a chain of its own. */
  isCut = false;
  latencyMs: number;
  readonly delayMs: number;
  tags: Record<string, number> = {};
  readonly calls: string[] = [];
  polls = 0;
  readonly #time: Time;
  readonly #chain: Chain;
  #tell: ((head: BlockHeader) => void) | undefined;
  #state: ((flows: boolean) => void) | undefined;

  constructor(index: number, options: NodeOptions, { time, chain }: { time: Time; chain: Chain }) {
    this.name = `node-${index}`;
    this.index = index;
    this.role = options.role ?? "primary";
    this.latencyMs = options.latencyMs ?? 5;
    this.delayMs = options.delayMs ?? 0;
    this.breaker = new Breaker(time.clock);
    this.#time = time;
    this.#chain = chain;
    this.tip = chain.genesis;
    if (options.hasSocket !== true) return;
    this.heads = {
      start: (onHead, onState) => {
        this.#tell = onHead;
        this.#state = onState;
        time.after(10, () => onState(true));
      },
      stop: () => {
        this.#tell = undefined;
      },
    };
  }

  socket(flows: boolean): void {
    this.#state?.(flows);
  }

  /** It gets a block, and tells of it where it has a socket. */
  gets(block: BlockHeader): void {
    if (this.isCut) return;
    this.tip = block;
    if (!this.isMute && !this.isDown) this.#tell?.(block);
  }

  ask({ method, params, timeoutMs }: UpstreamRequest, done: (json?: string) => void): void {
    const [first]: unknown[] = JSON.parse(params);
    this.calls.push(`${method} ${String(first ?? "")}`.trim());
    if (method === "eth_getBlockByNumber" && first === "latest") this.polls += 1;
    const beganMs = this.#time.now;
    const late = this.latencyMs > timeoutMs;
    this.#time.after(Math.min(this.latencyMs, timeoutMs), () => {
      if (this.isDown || late) {
        this.breaker.failed(beganMs);
        done(undefined);
        return;
      }
      const answer = this.#answer(method, first);
      this.breaker.succeeded(beganMs);
      done(answer);
    });
  }

  #answer(method: string, first: unknown): string {
    if (method === "eth_chainId") return `"${hex(this.chainId)}"`;
    return JSON.stringify(wire(this.#find(method, String(first))));
  }

  #find(method: string, name: string): BlockHeader | undefined {
    if (method === "eth_getBlockByHash") return this.#chain.blocks.get(name);
    if (name === "latest") return this.tip;
    const number = name.startsWith("0x") ? Number(name) : this.tags[name];
    return number === undefined ? undefined : this.#chain.back(this.tip, number);
  }
}

const wire = (block: BlockHeader | undefined) =>
  block === undefined
    ? null
    : { ...block, number: hex(block.number), timestamp: hex(block.timestamp), transactions: [] };

type NetworkOptions = {
  readonly confirmations?: number;
  readonly chainId?: number;
  readonly start?: number;
};

/** A network of nodes that get all blocks of one chain, after their delays. */
class Network {
  readonly time = new Time();
  readonly chain: Chain;
  readonly nodes: readonly SimulatedNode[];
  readonly view: HeadView;
  readonly tracker: HeadTracker;
  readonly changes: HeadChange[] = [];
  readonly warnings: Record<string, unknown>[] = [];
  /** How long after it was mined each block was the network's head, milliseconds. */
  readonly seenAfterMs: number[] = [];
  tip: BlockHeader;
  blocks = 0;
  readonly #minedMs = new Map<number, number>();

  constructor(nodes: readonly NodeOptions[], options: NetworkOptions = {}) {
    const { time } = this;
    this.chain = new Chain(options.start);
    this.tip = this.chain.genesis;
    const { chain } = this;
    this.nodes = nodes.map((one, index) => new SimulatedNode(index, one, { time, chain }));
    const parts = { clock: time.clock, timers: time.timers, upstreams: this.nodes };
    this.view = new HeadView({ confirmations: options.confirmations ?? 1 }, parts);
    const log = { warn: (fields: Record<string, unknown>) => this.warnings.push(fields) };
    this.tracker = new HeadTracker(
      { chainId: options.chainId },
      { ...parts, view: this.view, log },
    );
    this.view.subscribe((change) => {
      this.changes.push(change);
      for (let number = change.from + 1; number <= change.to; number += 1) {
        const mined = this.#minedMs.get(number);
        if (mined !== undefined) this.seenAfterMs.push(time.now - mined);
      }
    });
  }

  node(index: number): SimulatedNode {
    const found = this.nodes[index];
    if (found === undefined) throw new Error(`there is no node ${index}`);
    return found;
  }

  mine(): void {
    this.tip = this.chain.mine(this.tip, this.time.now);
    this.blocks += 1;
    this.#minedMs.set(this.tip.number, this.time.now);
    const block = this.tip;
    for (const node of this.nodes) this.time.after(node.delayMs, () => node.gets(block));
  }

  /** Mines so many blocks, so far apart, and calls what a client does in between. */
  mineAll(count: number, spacingMs: () => number, meanwhile = () => {}): void {
    for (let mined = 0; mined < count; mined += 1) {
      this.time.run(this.time.now + spacingMs());
      this.mine();
      meanwhile();
    }
  }

  forget(): void {
    this.blocks = 0;
    this.seenAfterMs.length = 0;
    for (const node of this.nodes) {
      node.polls = 0;
      node.calls.length = 0;
    }
  }
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

const three: readonly NodeOptions[] = [
  { latencyMs: 5 },
  { latencyMs: 12, delayMs: 8 },
  { latencyMs: 25, delayMs: 15 },
];

/** How far apart a chain's blocks come, milliseconds. */
const SPACINGS: Record<string, (slotMs: number, random: () => number) => () => number> = {
  regular: (slotMs) => () => slotMs,
  "late by up to a tenth": (slotMs, random) => {
    let slot = 0;
    let lastMs = 0;
    return () => {
      slot += 1;
      const spacingMs = (slot + random() / 10) * slotMs - lastMs;
      lastMs += spacingMs;
      return spacingMs;
    };
  },
  "left out now and then": (slotMs, random) => () => (random() < 0.01 ? 2 * slotMs : slotMs),
  uneven: (slotMs, random) => () => slotMs * (0.5 + random()),
  "without memory": (slotMs, random) => () => -Math.log(1 - random()) * slotMs,
};
const WARM_UP_BLOCKS = 60;
const BLOCKS = 2000;
/** Two timers, one after the other. */
const LATE_MS = 80;

describe("polls", () => {
  const cases = [1, 3].flatMap((nodes) =>
    [250, 400, 2000, 2500, 12_000].flatMap((slotMs) =>
      Object.keys(SPACINGS).map((spacing) => ({ nodes, slotMs, spacing })),
    ),
  );
  test.each(cases)(
    "with $nodes nodes and blocks every $slotMs ms, $spacing: at most one for each node and block",
    ({ nodes, slotMs, spacing }) => {
      const network = new Network(three.slice(0, nodes));
      const next = SPACINGS[spacing]?.(slotMs, seeded(slotMs)) ?? (() => slotMs);
      network.tracker.start();
      network.mineAll(WARM_UP_BLOCKS, next);
      network.forget();
      network.mineAll(BLOCKS, next, () => network.tracker.touch());
      for (const node of network.nodes) {
        expect(node.polls).toBeLessThanOrEqual(BLOCKS + 6);
        // A node that is alone has to give the header of every block as well.
        if (nodes > 1) expect(node.calls.length).toBeLessThanOrEqual(BLOCKS + 6);
        else expect(node.calls.length).toBeLessThanOrEqual(BLOCKS * 1.5);
      }
      expect(network.changes.every(({ kind }) => kind === "advance")).toBe(true);
      const isEven = spacing === "regular" || spacing === "late by up to a tenth";
      if (!isEven || slotMs < 400) {
        expect(percentile(network.seenAfterMs, 0.5)).toBeLessThan(slotMs * 0.75);
        return;
      }
      expect(Math.abs(network.tracker.blockTimeMs - slotMs)).toBeLessThan(slotMs / 20);
      const [share, within] = nodes > 1 ? [0.99, slotMs / 4] : [0.9, slotMs / 3];
      expect(percentile(network.seenAfterMs, share)).toBeLessThan(within + LATE_MS);
    },
  );

  test("nobody uses a network: the same", () => {
    const network = new Network(three);
    network.tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => 2000);
    network.forget();
    network.mineAll(BLOCKS, () => 2000);
    for (const node of network.nodes) expect(node.calls.length).toBeLessThanOrEqual(BLOCKS + 6);
    expect(percentile(network.seenAfterMs, 0.99)).toBeLessThan(540);
  });

  test("every node is known to have nearly every block before the next one", () => {
    const network = new Network(three);
    network.tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => 2000);
    let known = 0;
    for (let mined = 0; mined < BLOCKS; mined += 1) {
      network.mineAll(1, () => 100);
      network.time.run(network.time.now + 1900);
      for (const node of network.nodes) known += node.head === network.tip.number ? 1 : 0;
    }
    expect(known).toBeGreaterThan(BLOCKS * 3 * 0.97);
  });

  test.each([
    { used: true, apartMs: 2000 },
    { used: false, apartMs: 15_000 },
  ])("come ever more seldom while no block comes (used: $used)", ({ used, apartMs }) => {
    const network = new Network(three);
    network.tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => 1000);
    network.time.run(network.time.now + 60_000);
    network.forget();
    for (let second = 0; second < 600; second += 1) {
      if (used) network.tracker.touch();
      network.time.run(network.time.now + 1000);
    }
    const polls = network.nodes.reduce((sum, node) => sum + node.polls, 0);
    expect(polls).toBeGreaterThan((600_000 / apartMs) * 0.9);
    expect(polls).toBeLessThanOrEqual(600_000 / apartMs + 2);
    network.mine();
    network.time.run(network.time.now + apartMs + 100);
    expect(network.view.head?.number).toBe(network.tip.number);
  });

  test("a client that comes back is not kept waiting for the next idle poll", () => {
    const network = new Network(three);
    network.tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => 1000);
    network.time.run(network.time.now + 600_000);
    network.mine();
    network.tracker.touch();
    network.time.run(network.time.now + 2100);
    expect(network.view.head?.number).toBe(network.tip.number);
  });

  test("a node that hangs keeps no block from being seen", () => {
    const network = new Network(three);
    network.tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => 2000);
    network.node(0).latencyMs = 60_000;
    network.forget();
    network.mineAll(500, () => 2000);
    expect(percentile(network.seenAfterMs, 0.95)).toBeLessThan(1100);
  });

  test("a node that asked for a pause is not polled while another tells of new blocks", () => {
    const network = new Network(three);
    network.tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => 2000);
    network.forget();
    network.node(0).isPaused = true;
    network.mineAll(100, () => 2000);
    expect(network.node(0).calls).toEqual([]);
    expect(percentile(network.seenAfterMs, 0.95)).toBeLessThan(540);
  });

  test.each([1, 2])(
    "a node that asked for a pause is polled where the head stands still (confirmations: %d)",
    (confirmations) => {
      const network = new Network(three.slice(0, 2), { confirmations });
      network.tracker.start();
      network.mineAll(WARM_UP_BLOCKS, () => 2000);
      network.node(0).isPaused = true;
      if (confirmations === 1) network.node(1).isCut = true;
      network.forget();
      network.mineAll(
        60,
        () => 2000,
        () => network.tracker.touch(),
      );
      expect(network.blocks).toBe(60);
      expect(network.tip.number - (network.view.head?.number ?? 0)).toBeLessThanOrEqual(7);
      expect(network.node(0).polls).toBeLessThan(network.blocks / 2);
    },
  );

  test("a chain that was far ahead when it was looked at again is joined without asking for all", () => {
    const network = new Network(three);
    network.tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => 1000);
    for (const node of network.nodes) node.latencyMs = 60_000;
    network.mineAll(500, () => 1000);
    for (const node of network.nodes) node.latencyMs = 5;
    network.forget();
    network.mineAll(20, () => 1000);
    network.time.run(network.time.now + 900);
    expect(network.view.head?.number).toBe(network.tip.number);
    expect(network.changes.every(({ kind }) => kind === "advance")).toBe(true);
    const asked = network.nodes.reduce((sum, { calls }) => sum + calls.length, 0);
    expect(asked).toBeLessThan(150);
  });
});

describe("a node whose answer shows another block than is known", () => {
  /** After a block that all nodes have told of; the next one is far away. */
  const settled = () => {
    const network = new Network([{}]);
    network.tracker.start();
    network.mineAll(20, () => 12_000);
    while (network.view.head?.hash !== network.tip.hash) network.time.run(network.time.now + 100);
    network.forget();
    return network;
  };

  test("is asked for its head at once, so that a reorganisation is known", () => {
    const network = settled();
    const from = network.tip.number;
    network.tip = network.chain.back(network.tip, from - 1) ?? network.tip;
    network.mine();
    network.time.run(network.time.now + 100);
    expect(network.node(0).polls).toBe(0);
    network.tracker.doubt(network.node(0));
    network.time.run(network.time.now + 100);
    expect(network.node(0).polls).toBe(1);
    const change = { kind: "reorg", commonAncestor: from - 1, from, to: from };
    expect(network.changes.at(-1)).toEqual(change);
  });

  test("is asked once a second at most, however often it does that, and after the last time", () => {
    const network = settled();
    for (let answers = 0; answers < 300; answers += 1) {
      network.tracker.doubt(network.node(0));
      network.time.run(network.time.now + 10);
    }
    expect(network.node(0).polls).toBeGreaterThanOrEqual(3);
    expect(network.node(0).polls).toBeLessThanOrEqual(4);
    network.forget();
    network.tracker.doubt(network.node(0));
    network.time.run(network.time.now + 2100);
    expect(network.node(0).polls).toBe(1);
  });

  test("is not asked where it is a partner, whose calls are paid for", () => {
    const network = new Network([{}, { role: "partner" }]);
    network.tracker.start();
    network.mineAll(3, () => 1000);
    network.tracker.doubt(network.node(1));
    network.time.run(network.time.now + 2000);
    expect(network.node(1).polls).toBe(0);
  });
});

describe("a reorganisation", () => {
  test.each([
    { depth: 3, kept: (tip: number) => tip - 3, most: 12 },
    { depth: 100, kept: () => 1000, most: 80 },
  ])("$depth blocks deep is found by few questions", ({ depth, kept, most }) => {
    const network = new Network([{}]);
    network.tracker.start();
    network.mineAll(200, () => 1000);
    network.time.run(network.time.now + 900);
    const from = network.tip.number;
    network.forget();
    network.tip = network.chain.back(network.tip, from - depth) ?? network.tip;
    for (let mined = 0; mined <= depth; mined += 1) network.mine();
    network.time.run(network.time.now + 2000);
    const to = from + 1;
    expect(network.changes.at(-1)).toEqual({
      kind: "reorg",
      commonAncestor: kept(from),
      from,
      to,
    });
    expect(network.node(0).calls.length).toBeLessThanOrEqual(most);
  });
});

test("a node that hangs when it is asked how a new branch joins the chain does not keep others from telling", () => {
  const { time, nodes, chain, view, tracker } = new Network([
    { hasSocket: true },
    { hasSocket: true },
  ]);
  const [slow, other] = nodes as [SimulatedNode, SimulatedNode];
  tracker.start();
  time.run(time.now + 100);
  let old = slow.tip;
  for (let blocks = 0; blocks < 3; blocks += 1) {
    old = chain.mine(old, time.now);
    for (const node of nodes) node.gets(old);
    time.run(time.now + 100);
  }
  let branch = chain.back(old, old.number - 3) as BlockHeader;
  for (let blocks = 0; blocks < 4; blocks += 1) branch = chain.mine(branch, time.now);
  slow.latencyMs = 100_000;
  slow.gets(branch);
  time.run(time.now + 300);
  other.gets(branch);
  time.run(time.now + 100);
  expect(view.head?.hash).toBe(branch.hash);
});

describe("a node on another fork, while no block comes", () => {
  const SLOW_MS = 15_000;
  const forked = () => {
    const network = new Network([{}, {}]);
    const { time, chain, tracker } = network;
    tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => SLOW_MS);
    time.run(time.now + SLOW_MS);
    const node = network.node(1);
    node.gets(chain.mine(chain.back(network.tip, network.tip.number - 1) ?? network.tip, time.now));
    node.isCut = true;
    network.mineAll(
      2,
      () => SLOW_MS,
      () => tracker.touch(),
    );
    time.run(time.now + SLOW_MS);
    expect(node.isForked).toBe(true);
    return { network, node };
  };

  test.each([1, 3, 6, 10, 15, 20, 25].map((s) => [s]))(
    "is known to be back within 6 s, where it came back after %i s",
    (s) => {
      const { network, node } = forked();
      const { time, tracker } = network;
      for (let second = 0; second < s; second += 1) {
        tracker.touch();
        time.run(time.now + 1000);
      }
      node.isCut = false;
      node.gets(network.tip);
      time.run(time.now + 6100);
      expect(node.isForked).toBe(false);
    },
  );

  test("is asked more rarely while nobody uses the head", () => {
    const { network, node } = forked();
    network.time.run(network.time.now + 60_000);
    network.forget();
    network.time.run(network.time.now + 600_000);
    expect(node.polls).toBeLessThanOrEqual(40);
  });
});

describe("a node that leaves its head while it is asked where that joins the chain", () => {
  const DEPTH = 100;
  const OFTEN = 500;
  /** Two forks of so many blocks, at 5 ms a question. */
  const LINKED_MS = 1500;

  /** One node that leaves each of its heads so often, when it is asked for anything but its head. */
  const leaving = (times: number) => {
    const network = new Network([{}]);
    network.tracker.start();
    network.mineAll(2 * DEPTH, () => 12_000);
    network.time.run(network.time.now + 6000);
    const node = network.node(0);
    const ancestor = network.chain.back(network.tip, network.tip.number - DEPTH) ?? network.tip;
    const fork = () => {
      network.tip = ancestor;
      for (let mined = 0; mined <= DEPTH; mined += 1) network.mine();
    };
    fork();
    network.forget();
    const ask = node.ask.bind(node);
    let left = 0;
    node.ask = (request, done) => {
      const isHead = request.params.includes("latest") || request.method === "eth_chainId";
      ask(request, (json) => {
        if (!isHead && left < times) {
          left += 1;
          fork();
        }
        done(json);
      });
    };
    const untilAsked = () => {
      while (node.polls === 0) network.time.run(network.time.now + 20);
    };
    return { network, node, untilAsked };
  };

  test("is asked for its new one at once", () => {
    const { network, node, untilAsked } = leaving(1);
    untilAsked();
    network.time.run(network.time.now + LINKED_MS);
    expect(network.view.head?.hash).toBe(network.tip.hash);
    expect(node.polls).toBe(2);
  });

  test("is asked once more, and not for ever", () => {
    const { network, node, untilAsked } = leaving(OFTEN);
    untilAsked();
    network.time.run(network.time.now + LINKED_MS);
    expect(node.polls).toBe(2);
  });
});

describe("sockets", () => {
  const sockets: readonly NodeOptions[] = [{ hasSocket: true }, { hasSocket: true, delayMs: 30 }];
  const flowing = (nodes = sockets) => {
    const network = new Network(nodes);
    network.tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => 2000);
    network.forget();
    return network;
  };

  test("no node is asked anything while they tell of new blocks", () => {
    const network = flowing();
    network.mineAll(
      BLOCKS,
      () => 2000,
      () => network.tracker.touch(),
    );
    expect(network.nodes.flatMap(({ calls }) => calls)).toEqual([]);
    expect(Math.max(...network.seenAfterMs)).toBe(0);
  });

  test("a node without one is asked once for each block that another told of", () => {
    const network = flowing([{ hasSocket: true }, {}]);
    network.mineAll(500, () => 2000);
    network.time.run(network.time.now + 1000);
    expect(network.node(0).calls).toEqual([]);
    expect(network.node(1).calls.length).toBeLessThanOrEqual(501);
    expect(network.node(1).head).toBe(network.tip.number);
  });

  test("what one told of while the node was asked for its head is not undone by an older answer", () => {
    const network = flowing([{ hasSocket: true }]);
    const node = network.node(0);
    const left = node.tip;
    const before = network.chain.back(left, left.number - 1) ?? left;
    const ask = node.ask.bind(node);
    node.ask = (request, done) => {
      const had = JSON.stringify(wire(node.tip));
      const isHead = request.params.includes("latest");
      ask(request, (json) => done(isHead && json !== undefined ? had : json));
    };
    network.tracker.doubt(node);
    network.time.after(1, () => node.gets(network.chain.mine(before, network.time.now)));
    network.time.run(network.time.now + 1000);
    expect(node.tip.hash).not.toBe(left.hash);
    expect(network.view.tipOf(node)?.hash).toBe(node.tip.hash);
    expect(network.view.head?.hash).toBe(node.tip.hash);
    expect(node.polls).toBe(2);
  });

  test("silent ones are not relied on, until they tell of a block again", () => {
    const network = flowing();
    for (const node of network.nodes) node.isMute = true;
    network.mineAll(30, () => 2000);
    network.forget();
    network.mineAll(200, () => 2000);
    expect(percentile(network.seenAfterMs, 0.9)).toBeLessThan(1500);
    for (const node of network.nodes) node.isMute = false;
    network.mineAll(2, () => 2000);
    network.time.run(network.time.now + 1000);
    network.forget();
    network.mineAll(100, () => 2000);
    expect(network.nodes.flatMap(({ calls }) => calls)).toEqual([]);
  });

  test("ones that are silent because no block comes cost one poll in 10 s", () => {
    const network = flowing();
    network.time.run(network.time.now + 600_000);
    for (const node of network.nodes) expect(node.calls.length).toBeLessThanOrEqual(60);
  });

  test("one that broke is polled for, and is checked and used when it is back", () => {
    const network = flowing([{ hasSocket: true }]);
    const node = network.node(0);
    node.isMute = true;
    node.socket(false);
    network.mineAll(50, () => 2000);
    expect(network.view.head?.number).toBeGreaterThanOrEqual(network.tip.number - 1);
    node.isMute = false;
    network.forget();
    node.socket(true);
    expect(node.chain).toBe("unknown");
    network.time.run(network.time.now + 100);
    expect(node.calls).toEqual(["eth_chainId", "eth_getBlockByNumber latest"]);
    expect(node.chain).toBe("right");
    network.forget();
    network.mineAll(50, () => 2000);
    expect(node.calls).toEqual([]);
  });

  test("one that is back with another chain is not listened to", () => {
    const network = flowing();
    const other = network.chain.mine(network.chain.mine(network.tip, 0), 0);
    network.node(0).chainId = 2;
    network.node(0).socket(false);
    network.node(0).socket(true);
    network.time.run(network.time.now + 100);
    network.node(0).gets(other);
    expect(network.node(0).chain).toBe("wrong");
    expect(network.view.head?.number).toBe(network.tip.number);
  });
});

describe("chain ids", () => {
  test("the first primary that answers says it where none is configured", () => {
    const network = new Network([{ latencyMs: 50 }, { latencyMs: 5 }]);
    network.node(0).chainId = 5;
    network.node(1).chainId = 7;
    network.tracker.start();
    expect(network.tracker.chainId).toBeUndefined();
    network.time.run(200);
    expect(network.tracker.chainId).toBe(7);
    expect(network.nodes.map(({ chain }) => chain)).toEqual(["wrong", "right"]);
  });

  test("a node of another chain is never used, and said so once", () => {
    const network = new Network([{}, {}], { chainId: 1 });
    network.node(0).chainId = 5;
    network.node(0).tip = network.chain.mine(network.tip, 0);
    network.tracker.start();
    network.mineAll(20, () => 2000);
    expect(network.node(0).polls).toBe(0);
    expect(network.warnings).toEqual([{ upstream: "node-0", chainId: 5, expected: 1 }]);
    expect(network.view.head?.hash).toBe(network.view.hashOf(network.view.head?.number ?? 0));
  });

  test("a node that is put right is used within 10 s", () => {
    const network = new Network([{}], { chainId: 1 });
    network.node(0).chainId = 5;
    network.tracker.start();
    network.time.run(60_000);
    network.node(0).chainId = 1;
    network.time.run(66_000);
    expect(network.node(0).chain).toBe("right");
    expect(network.view.head?.number).toBe(1000);
  });

  test("a node that was restarted as another chain is found out by its first head", () => {
    const network = new Network([{}, {}], { chainId: 1 });
    network.tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => 2000);
    const other = new Chain(40, 1_000_000);
    network.node(0).chainId = 5;
    network.node(0).isCut = true;
    network.node(0).tip = other.mine(other.genesis, 0);
    network.mineAll(3, () => 2000);
    expect(network.node(0).chain).toBe("wrong");
    expect(network.node(0).head).toBeGreaterThan(1000);
    expect(network.changes.every(({ kind }) => kind === "advance")).toBe(true);
  });

  test("a node whose connection broke is unknown until it has shown its chain", () => {
    const network = new Network([{}, {}], { chainId: 1 });
    network.tracker.start();
    network.time.run(1000);
    network.node(0).chainId = 5;
    network.tracker.recheck(network.node(0));
    expect(network.node(0).chain).toBe("unknown");
    network.time.run(1100);
    expect(network.node(0).chain).toBe("wrong");
  });

  test("a node that is down is not checked at each of its failures", () => {
    const network = new Network([{}], { chainId: 1 });
    const node = network.node(0);
    network.tracker.start();
    network.time.run(1000);
    node.isDown = true;
    network.forget();
    for (let failure = 0; failure < 100; failure += 1) {
      network.tracker.recheck(node);
      network.time.run(network.time.now + 10);
    }
    expect(node.calls.length).toBeLessThanOrEqual(2);
  });

  test("calls that wait for a node's chain share one question, each within its time", () => {
    const network = new Network([{ latencyMs: 500 }], { chainId: 1 });
    const node = network.node(0);
    const done: number[] = [];
    network.tracker.verify(node, 100, () => done.push(network.time.now));
    network.tracker.verify(node, 1000, () => done.push(network.time.now));
    network.time.run(2000);
    expect(done).toEqual([100, 500]);
    expect(node.calls.filter((call) => call === "eth_chainId")).toHaveLength(1);
    network.tracker.verify(node, 1000, () => done.push(network.time.now));
    expect(done).toEqual([100, 500, 2000]);
  });
});

describe("a node that failed", () => {
  test.each([1, 2])("is in use again within 10 s of its recovery (of %i nodes)", (nodes) => {
    for (let downMs = 20_000; downMs < 40_000; downMs += 777) {
      const network = new Network(three.slice(0, nodes));
      const node = network.node(0);
      network.tracker.start();
      network.mineAll(WARM_UP_BLOCKS, () => 1000);
      node.isDown = true;
      for (let fault = 0; fault < 5; fault += 1) node.breaker.failed();
      network.mineAll(Math.floor(downMs / 777), () => 777);
      expect(node.breaker.state).toBe("open");
      node.isDown = false;
      const recoveredMs = network.time.now;
      while (node.breaker.state === "open") network.mineAll(1, () => 500);
      expect(network.time.now - recoveredMs).toBeLessThanOrEqual(10_000);
      network.mineAll(3, () => 1000);
      expect(node.head).toBeGreaterThanOrEqual(network.tip.number - 2);
    }
  });

  test("stays out where it is back with another chain", () => {
    const network = new Network([{}, {}]);
    const node = network.node(0);
    network.tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => 1000);
    for (let fault = 0; fault < 5; fault += 1) node.breaker.failed();
    node.chainId = 5;
    network.mineAll(30, () => 1000);
    expect(node.chain).toBe("wrong");
    expect(node.breaker.state).toBe("open");
  });

  test("is not polled while an operator has it out of use", () => {
    const network = new Network([{}, {}]);
    network.tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => 1000);
    network.node(0).drained = true;
    network.forget();
    network.mineAll(30, () => 1000);
    expect(network.node(0).calls).toEqual([]);
    network.node(0).drained = false;
    network.mineAll(5, () => 1000);
    expect(network.node(0).head).toBeGreaterThanOrEqual(network.tip.number - 1);
  });
});

describe("partners", () => {
  const paid = () => {
    const network = new Network([{}, { role: "partner" }]);
    network.tracker.start();
    network.mineAll(
      WARM_UP_BLOCKS,
      () => 2000,
      () => network.tracker.demandPartner(),
    );
    return network;
  };
  const fail = (node: SimulatedNode) => {
    node.isDown = true;
    for (let fault = 0; fault < 5; fault += 1) node.breaker.failed();
  };

  test("are asked nothing while a primary is healthy", () => {
    expect(paid().node(1).calls).toEqual([]);
  });

  test("are asked nothing while none is, unless a call may use them", () => {
    const network = paid();
    fail(network.node(0));
    network.mineAll(30, () => 2000);
    expect(network.node(1).calls).toEqual([]);
  });

  test("tell the head while none is and calls may use them, for few calls of their own", () => {
    const network = paid();
    fail(network.node(0));
    network.mineAll(30, () => 2000);
    for (let call = 0; call < 1000; call += 1) {
      network.tracker.demandPartner();
      network.time.run(network.time.now + 10);
    }
    expect(network.view.head?.number).toBe(network.tip.number);
    expect(network.node(1).calls.length).toBeLessThanOrEqual(14);
  });
});

describe("tags", () => {
  const tagged = (nodes: readonly NodeOptions[] = three) => {
    const network = new Network(nodes);
    for (const node of network.nodes) node.tags = { safe: 1020, finalized: 1010 };
    network.tracker.start();
    network.mineAll(WARM_UP_BLOCKS, () => 2000);
    network.time.run(network.time.now + 1500);
    network.forget();
    const ask = (name: "safe" | "finalized" = "safe") => {
      const answers: (number | undefined)[] = [];
      network.tracker.tag(name, 8000, (number) => answers.push(number));
      network.time.run(network.time.now + 50);
      expect(answers).toHaveLength(1);
      return answers[0];
    };
    const asked = () =>
      network.nodes.flatMap(({ calls }) => calls.filter((call) => /safe|finalized/.test(call)));
    return { network, ask, asked };
  };

  test("are asked at most once for each head, and only when a client uses them", () => {
    const { network, ask, asked } = tagged();
    expect(asked()).toEqual([]);
    expect([ask(), ask(), ask("finalized"), ask()]).toEqual([1020, 1020, 1010, 1020]);
    expect(asked()).toHaveLength(2);
    network.mineAll(1, () => 400);
    network.time.run(network.time.now + 1500);
    ask();
    expect(asked()).toHaveLength(3);
  });

  test("calls that ask at once share one question", () => {
    const { network, asked } = tagged();
    const answers: (number | undefined)[] = [];
    for (let call = 0; call < 10; call += 1) {
      network.tracker.tag("safe", 8000, (is) => answers.push(is));
    }
    network.time.run(network.time.now + 50);
    expect(answers).toEqual(Array(10).fill(1020));
    expect(asked()).toHaveLength(1);
  });

  test("never go back, although a node's does", () => {
    const { network, ask } = tagged();
    ask();
    for (const node of network.nodes) node.tags = { safe: 1015 };
    network.mineAll(1, () => 400);
    network.time.run(network.time.now + 1500);
    expect(ask()).toBe(1020);
  });

  test("another node is asked where one has none, and undefined is the answer where all lack it", () => {
    const { network, ask } = tagged();
    network.node(0).tags = {};
    expect(ask()).toBe(1020);
    for (const node of network.nodes) node.tags = {};
    expect(ask("finalized")).toBeUndefined();
  });

  test("a node that hangs takes a quarter of a call's time; then what was known serves", () => {
    const { network, ask } = tagged();
    ask();
    network.mineAll(1, () => 400);
    network.time.run(network.time.now + 1500);
    network.node(0).latencyMs = 1e9;
    const answers: (number | undefined)[] = [];
    for (let call = 0; call < 2; call += 1) {
      network.tracker.tag("safe", 2000, (is) => answers.push(is));
    }
    network.time.run(network.time.now + 400);
    expect(answers).toEqual([]);
    network.time.run(network.time.now + 200);
    expect(answers).toEqual([1020, 1020]);
  });

  test("are never above the head", () => {
    const { network, ask } = tagged([{}]);
    const head = network.view.head?.number ?? 0;
    network.mine();
    network.node(0).tags = { safe: head + 1 };
    expect(ask()).toBe(head);
  });
});

/** A chain that forks, on which nodes come and go; all of it repeated by its seed. */
function storm(seed: number, blocks: number): Network {
  const random = seeded(seed);
  const roles = three.map((one, index) => ({ ...one, hasSocket: (seed >> index) % 2 === 1 }));
  const network = new Network([...roles, {}], { confirmations: 1 + (seed % 2) });
  let told = -1;
  network.view.subscribe((change) => {
    expect(change.from).toBe(told);
    if (change.kind === "advance") expect(change.to).toBeGreaterThan(change.from);
    told = change.to;
  });
  network.tracker.start();
  for (let mined = 0; mined < blocks; mined += 1) {
    network.time.run(network.time.now + 300 + random() * 1400);
    disturb(network, random);
    network.mine();
    expect(network.view.head?.number ?? -1).toBe(told);
  }
  return network;
}

function disturb(network: Network, random: () => number): void {
  const node = network.node(Math.floor(random() * network.nodes.length));
  const dice = random();
  if (dice < 0.05) node.isDown = !node.isDown;
  else if (dice < 0.1) node.latencyMs = random() < 0.5 ? 5 : 4000;
  else if (dice < 0.15) node.isMute = !node.isMute;
  else if (dice < 0.2) {
    const back = network.chain.back(network.tip, network.tip.number - Math.floor(random() * 4));
    network.tip = back ?? network.tip;
  } else if (dice < 0.3) {
    const below = Math.max(node.tip.number - Math.floor(random() * 3), 1000);
    const fork = network.chain.back(node.tip, below) ?? node.tip;
    node.gets(network.chain.mine(fork, network.time.now));
  }
}

describe("in a storm of forks and failures", () => {
  test("the head goes back only where listeners were told, and all nodes agree after it", () => {
    for (let seed = 1; seed <= 150; seed += 1) {
      const network = storm(seed, 60);
      for (const node of network.nodes) {
        node.isDown = false;
        node.isMute = false;
        node.latencyMs = 5;
      }
      network.mineAll(40, () => 1000);
      network.time.run(network.time.now + 900);
      const head = network.view.head?.number ?? -1;
      expect(network.tip.number - head, `seed ${seed}`).toBeLessThanOrEqual(1);
      expect(network.view.hashOf(head)).toBe(network.chain.back(network.tip, head)?.hash);
      for (const node of network.nodes) {
        expect(node.breaker.state, `seed ${seed}`).not.toBe("open");
        expect([node.chain, node.isForked], `seed ${seed}`).toEqual(["right", false]);
      }
    }
  });
});
