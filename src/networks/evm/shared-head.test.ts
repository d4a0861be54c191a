import { closeSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SeededRandom } from "../../../test/simulation/seeded-random.ts";
import { VirtualTime } from "../../../test/simulation/virtual-time.ts";
import { sharedMonotonic } from "../../lib/clock.ts";
import { boardBytes, openBoardFile, SharedBoard } from "../../lib/shared-board.ts";
import type { BlockHeader, TrackedUpstream } from "../tracked-upstream.ts";
import { HeadView } from "./head-view.ts";
import { type HeadClaim, SharedHead } from "./shared-head.ts";

const WORKERS = 3;
const HISTORIES = 200;

let file: number;
afterEach(() => closeSync(file));

/** Blocks are born, and die when they are replaced: counted in changes of the chain. */
type Born = BlockHeader & { readonly bornAt: number; diedAt: number };

/** One node's chain. */
class Chain {
  readonly known = new Map<string, Born>();
  readonly blocks: Born[] = [];
  #changes = 0;
  #made = 0;

  constructor(blocks: number) {
    this.mine(blocks);
  }

  get tip(): Born {
    return this.blocks.at(-1) as Born;
  }

  mine(count: number): void {
    this.#changes += 1;
    for (let block = 0; block < count; block += 1) {
      this.#made += 1;
      const header = {
        ...{ number: this.blocks.length, hash: `0x${this.#made}`, gasLimit: "0x1" },
        ...{ parentHash: this.blocks.at(-1)?.hash ?? "0x0", timestamp: this.#made },
        ...{ bornAt: this.#changes, diedAt: Number.POSITIVE_INFINITY },
      };
      this.blocks.push(header);
      this.known.set(header.hash, header);
    }
  }

  reorganise(depth: number, blocks: number): void {
    for (const dead of this.blocks.splice(-depth)) dead.diedAt = this.#changes + 1;
    this.mine(blocks);
  }

  /** Whether `above` is `below` or follows it. */
  follows(above: Born, below: Born): boolean {
    let block: Born | undefined = above;
    while (block !== undefined && block.number > below.number) {
      block = this.known.get(block.parentHash);
    }
    return block === below;
  }
}

const node = (): TrackedUpstream => ({
  ...{ name: "a", role: "primary", index: 0, drained: false, chain: "right", head: -1 },
  ...{ isForked: false, forkedAfter: Number.POSITIVE_INFINITY },
  breaker: {
    ...{ state: "closed", probeDueAtMs: Number.POSITIVE_INFINITY },
    ...{ probeStarted: () => {}, probeSucceeded: () => {} },
  },
  allowance: { isPaused: () => false },
  lastError: { note: () => undefined },
  ask: () => {},
});

/** A worker's view of the one node, whose answers take a while. */
class Worker {
  readonly upstream = node();
  readonly view: HeadView;
  readonly shared: SharedHead;
  readonly #time: VirtualTime;
  readonly #chain: Chain;
  #isLooking = false;
  #toldAtMs = 0;
  /** How long an answer of the node takes. */
  latencyMs = 0;

  constructor(own: number, time: VirtualTime, chain: Chain) {
    this.#time = time;
    this.#chain = chain;
    const { clock } = time;
    const upstreams = [this.upstream];
    this.view = new HeadView({ confirmations: 1 }, { clock, timers: time, upstreams });
    this.shared = new SharedHead({
      board: new SharedBoard<HeadClaim>({
        fd: file,
        begin: 0,
        processes: WORKERS,
        own,
        now: sharedMonotonic,
      }),
      ...{ view: this.view, upstreams, clock, aheadMs: 0, reported: () => this.#link() },
    });
  }

  /** Asks for the head, one answer at a time, and for the parents that are missing. */
  poll(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const askedMs = this.#time.nowMs;
    this.#time.after(this.latencyMs / 2, () => {
      const { tip } = this.#chain;
      this.#time.after(this.latencyMs / 2, () => {
        this.#isLooking = false;
        this.view.report(this.upstream, tip, askedMs);
        this.#link();
      });
    });
  }

  /** The node tells of its head by itself, in order. */
  tell(afterMs: number): void {
    const { tip } = this.#chain;
    this.#toldAtMs = Math.max(this.#toldAtMs, this.#time.nowMs + afterMs);
    this.#time.after(this.#toldAtMs - this.#time.nowMs, () => {
      this.view.report(this.upstream, tip);
      this.#link();
    });
  }

  #link(): void {
    const missing = this.view.forks.missing(this.upstream);
    if (missing === undefined) return;
    this.#time.after(this.latencyMs, () => {
      if (missing.kind === "far") {
        const { blocks } = this.#chain;
        const own = this.view.forks.landmarks(this.upstream);
        const joint = own.find((number) => blocks[number]?.hash === this.view.hashOf(number));
        this.view.forks.joins(this.upstream, joint ?? -1);
        return;
      }
      const parent = this.#chain.known.get(missing.hash);
      if (parent === undefined) return;
      this.view.forks.learn(parent);
      this.#link();
    });
  }

  get hash(): string | undefined {
    return this.view.head?.hash;
  }
}

let time: VirtualTime;
let chain: Chain;
let first: Worker;
let second: Worker;
const begin = () => {
  file = openBoardFile(boardBytes(WORKERS));
  time = new VirtualTime();
  chain = new Chain(10);
  first = new Worker(0, time, chain);
  second = new Worker(1, time, chain);
};
beforeEach(begin);
const pass = (ms: number) => time.run(time.nowMs + ms, () => {});
/** Both know the newest blocks, and are asked. */
const pollBoth = async () => {
  for (let block = 0; block < 5; block += 1) {
    chain.mine(1);
    first.poll();
    second.poll();
    await pass(50);
  }
  expect([first.shared.isInStep(), second.shared.isInStep()]).toEqual([true, true]);
};

describe("a head that one worker knows", () => {
  test("is known to the other one as soon as that looks", async () => {
    await pollBoth();
    chain.mine(1);
    first.poll();
    await pass(1);
    expect(second.view.head?.number).toBe(14);
    expect(second.shared.isInStep()).toBe(true);
    expect(second.hash).toBe(chain.tip.hash);
  });

  test("is known to one that starts later, which has asked no node", async () => {
    await pollBoth();
    const third = new Worker(2, time, chain);
    expect(third.shared.isInStep()).toBe(true);
    expect(third.hash).toBe(chain.tip.hash);
  });

  test("is waited for where parents are missing, until they were asked for", async () => {
    await pollBoth();
    second.latencyMs = 100;
    chain.mine(4);
    first.poll();
    await pass(1);
    expect(second.shared.isInStep()).toBe(false);
    await pass(350);
    expect(second.shared.isInStep()).toBe(true);
    expect(second.hash).toBe(chain.tip.hash);
  });

  test("is known by its number where only an answer showed it", async () => {
    await pollBoth();
    first.view.seen(first.upstream, 17);
    expect(second.shared.isInStep()).toBe(true);
    expect(second.view.head).toMatchObject({ number: 17, hash: undefined });
  });

  test("is waited for no longer than a second where it cannot be had", async () => {
    await pollBoth();
    chain.mine(1);
    first.poll();
    await pass(1);
    second.upstream.chain = "wrong";
    expect(second.shared.isInStep()).toBe(false);
    await pass(900);
    expect(second.shared.isInStep()).toBe(false);
    await pass(150);
    expect(second.shared.isInStep()).toBe(true);
  });

  test("is looked for once for all calls of one message", async () => {
    await pollBoth();
    second.shared.atOnce(() => {
      expect(second.shared.isInStep()).toBe(true);
      chain.mine(1);
      first.view.report(first.upstream, chain.tip);
      second.shared.isInStep();
      expect(second.view.head?.number).toBe(14);
    });
    second.shared.isInStep();
    expect(second.view.head?.number).toBe(15);
  });
});

describe("a reorganisation that one worker knows", () => {
  test.each([0, 1, 2])("is known to the other one, with %d blocks more", async (more) => {
    await pollBoth();
    chain.reorganise(1, 1 + more);
    first.poll();
    await pass(1);
    second.shared.isInStep();
    second.poll();
    await pass(1);
    expect(second.shared.isInStep()).toBe(true);
    expect(second.hash).toBe(chain.tip.hash);
    expect(first.shared.isInStep()).toBe(true);
  });

  test("to a lower head is known to the other one", async () => {
    await pollBoth();
    chain.reorganise(3, 2);
    first.poll();
    await pass(1);
    second.shared.isInStep();
    await pass(1);
    expect(second.shared.isInStep()).toBe(true);
    expect(second.view.head).toMatchObject({ number: 13, hash: chain.tip.hash });
    expect(first.shared.isInStep()).toBe(true);
  });

  test("is not undone by an older answer that the other one gets", async () => {
    await pollBoth();
    chain.mine(1);
    second.latencyMs = 100;
    second.poll();
    await pass(60);
    chain.reorganise(1, 1);
    first.poll();
    await pass(50);
    expect(second.shared.isInStep()).toBe(false);
    second.poll();
    await pass(100);
    expect(second.shared.isInStep()).toBe(true);
    expect([first.hash, second.hash]).toEqual([chain.tip.hash, chain.tip.hash]);
    expect(first.shared.isInStep()).toBe(true);
  });
});

/** One told head after another: the next is of the same chain, or of one that took its place. */
async function history(seed: number): Promise<{ faults: string[]; told: number }> {
  const random = new SeededRandom(seed);
  const workers = [first, second, new Worker(2, time, chain)];
  const areTold = workers.map(() => random.chance(0.5));
  const faults: string[] = [];
  let last: Born | undefined;
  let told = 0;
  const ask = (worker: Worker) => {
    if (!worker.shared.isInStep()) {
      worker.poll();
      return;
    }
    const head = chain.known.get(worker.hash ?? "");
    if (head === undefined) return;
    told += 1;
    const isRight = last === undefined || chain.follows(head, last) || last.diedAt <= head.bornAt;
    if (!isRight) faults.push(`seed ${seed}: ${head.number} ${head.hash} after ${last?.hash}`);
    last = head;
  };
  for (let step = 0; step < 400; step += 1) {
    const worker = workers[random.int(0, 2)] as Worker;
    const what = random.next();
    if (what < 0.15) {
      if (what < 0.1) chain.mine(random.int(1, 3));
      else {
        const depth = random.int(1, 3);
        chain.reorganise(depth, Math.max(1, depth + random.int(-1, 2)));
      }
      for (const [at, one] of workers.entries()) if (areTold[at]) one.tell(random.int(0, 30));
    } else if (what < 0.4) {
      worker.latencyMs = random.int(0, 40);
      worker.poll();
    } else ask(worker);
    await pass(random.int(0, 10));
  }
  return { faults, told };
}

test("whoever is asked, no head comes after a newer one, and no dead block after one in its place", async () => {
  const faults: string[] = [];
  let told = 0;
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    closeSync(file);
    begin();
    const one = await history(seed);
    faults.push(...one.faults);
    told += one.told;
  }
  expect(faults).toEqual([]);
  // Hardly anybody has to wait for long.
  expect(told).toBeGreaterThan(HISTORIES * 140);
});
