import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MemoryCache, type MethodCache } from "../../src/cache/memory-cache.ts";

const SCHEDULES = 10_000;

type Event =
  /** The node's chain grows by `grow` blocks, after losing `depth` of them. */
  | { is: "chain"; depth: number; grow: number }
  /** The gateway sees the oldest change of the chain that it has not seen. */
  | { is: "see" }
  /** A client asks for a block so far below the head, or by a tag; the node answers at once … */
  | { is: "ask"; below: number; byTag: boolean; method: number }
  /** … and the answer reaches the gateway later, in any order. */
  | { is: "answer"; which: number }
  | { is: "read"; below: number; method: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant("chain" as const),
      depth: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 10 })),
      grow: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ is: fc.constant("see" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant("ask" as const),
      below: fc.nat(4),
      byTag: fc.boolean(),
      method: fc.nat(1),
    }),
  },
  { weight: 6, arbitrary: fc.record({ is: fc.constant("answer" as const), which: fc.nat() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      is: fc.constant("read" as const),
      below: fc.nat(4),
      method: fc.nat(1),
    }),
  },
);

type Question = { key: string; block: number; passing: boolean; answer: string; asked: number };
type Change = { ancestor: number; chain: readonly string[] };

/** A node with a forking chain, and a gateway that sees each of its heads later. */
class Model {
  /** The name of the block at each height. */
  #chain: readonly string[] = Array.from({ length: 20 }, (_, height) => `first ${height}`);
  #seen = this.#chain;
  readonly #unseen: Change[] = [];
  /** The common ancestors of the reorganisations that the gateway saw. */
  readonly #ancestors: number[] = [];
  readonly #questions: Question[] = [];
  readonly #network: MethodCache;
  #forks = 0;
  hits = 0;

  constructor(network: MethodCache) {
    this.#network = network;
  }

  run(happens: Event): void {
    if (happens.is === "chain") this.#fork(happens);
    else if (happens.is === "see") this.#see();
    else if (happens.is === "ask") this.#ask(happens);
    else if (happens.is === "answer") this.#answer(happens.which);
    else this.#read(happens);
  }

  #fork({ depth, grow }: { depth: number; grow: number }): void {
    this.#forks++;
    const common = this.#chain.slice(0, this.#chain.length - depth);
    const grown = Array.from({ length: depth + grow }, (_, at) => `${this.#forks} ${at}`);
    this.#chain = [...common, ...grown];
    this.#unseen.push({ ancestor: common.length - 1, chain: this.#chain });
  }

  #see(): void {
    const change = this.#unseen.shift();
    if (change === undefined) return;
    const { ancestor, chain } = change;
    if (ancestor < this.#seen.length - 1) {
      this.#ancestors.push(ancestor);
      this.#network.dropAbove(ancestor);
    }
    this.#seen = chain;
    this.#network.forgetPassing(chain.length - 3);
  }

  #ask({ below, byTag, method }: { below: number; byTag: boolean; method: number }): void {
    const block = byTag ? this.#seen.length - 1 : this.#seen.length - 1 - below;
    const answer = this.#chain[block];
    if (answer === undefined) return;
    const key = `${method} ${block}`;
    const asked = this.#ancestors.length;
    this.#questions.push({ key, block, passing: byTag, answer, asked });
  }

  /** As the gateway does: not stored where its block went off the chain since the question. */
  #answer(which: number): void {
    const [question] = this.#questions.splice(which % Math.max(1, this.#questions.length), 1);
    if (question === undefined) return;
    const { key, block, passing, answer: value, asked } = question;
    if (this.#ancestors.slice(asked).some((ancestor) => ancestor < block)) return;
    this.#network.set(key, { value, block }, { credits: 20, passing });
  }

  #read({ below, method }: { below: number; method: number }): void {
    const block = this.#seen.length - 1 - below;
    const stored = this.#network.get(`${method} ${block}`);
    if (stored === undefined) return;
    this.hits++;
    // Also of a head that the node has and the gateway has yet to see.
    const chains = [this.#seen, ...this.#unseen.map(({ chain }) => chain)];
    expect(chains.map((chain) => chain[block])).toContain(stored.value);
    expect(stored.block).toBe(block);
  }
}

test(`no answer of a block that is off the chain is read, in ${SCHEDULES} schedules`, () => {
  let hits = 0;
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 40, maxLength: 200, size: "max" }),
      fc.constantFrom(4_000, 1_000_000),
      (events, maxBytes) => {
        const model = new Model(new MemoryCache({ maxBytes }).open("mainnet"));
        for (const happens of events) model.run(happens);
        hits += model.hits;
      },
    ),
    { numRuns: SCHEDULES, seed: 7 },
  );
  expect(hits).toBeGreaterThan(SCHEDULES);
});

type Kept = { value: string | Buffer; block: number; passing: boolean; network: number };

const operation = fc.oneof(
  {
    weight: 80,
    arbitrary: fc.record({
      is: fc.constant("set" as const),
      key: fc.nat(60),
      network: fc.nat(1),
      block: fc.integer({ min: -1, max: 12 }),
      bytes: fc.oneof(fc.nat(300), fc.nat(9_000)),
      buffer: fc.boolean(),
      passing: fc.boolean(),
      credits: fc.constantFrom(0, 10, 20, 500),
    }),
  },
  { weight: 40, arbitrary: fc.record({ is: fc.constant("get" as const), key: fc.nat(60) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constantFrom("dropAbove" as const, "forgetPassing" as const),
      network: fc.nat(1),
      block: fc.integer({ min: -1, max: 13 }),
    }),
  },
);
type Operation = typeof operation extends fc.Arbitrary<infer O> ? O : never;

/** The same as a cache that has room for all would do. */
function naively(model: Map<string, Kept>, done: Operation): void {
  if (done.is === "get") return;
  if (done.is === "set") {
    const { block, passing, network } = done;
    model.set(`${network}/${done.key}`, { value: valueFor(done), block, passing, network });
    return;
  }
  for (const [key, { network, block, passing }] of model) {
    if (network !== done.network) continue;
    const gone =
      (done.is === "dropAbove" && block > done.block) ||
      (done.is === "forgetPassing" && passing && block >= 0 && block < done.block);
    if (gone) model.delete(key);
  }
}

function valueFor({ bytes, buffer, key }: { bytes: number; buffer: boolean; key: number }) {
  const value = `${key}`.padEnd(bytes, "x");
  return buffer ? Buffer.from(value) : value;
}

function perform(networks: readonly MethodCache[], done: Operation): void {
  if (done.is === "get") {
    for (const network of networks) network.get(`${done.key}`);
    return;
  }
  const network = networks[done.network];
  if (done.is === "set") {
    const { key, block, credits, passing } = done;
    network?.set(`${key}`, { value: valueFor(done), block }, { credits, passing });
  } else network?.[done.is](done.block);
}

describe("whatever is done to it, the cache", () => {
  test("never takes more bytes than it may, counts what it has, and has nothing that it should not", () => {
    fc.assert(
      fc.property(
        fc.array(operation, { maxLength: 300, size: "max" }),
        fc.constantFrom(2_000, 30_000, 100_000),
        (operations, maxBytes) => {
          const cache = new MemoryCache({ maxBytes });
          const networks = [cache.open("0"), cache.open("1")];
          const model = new Map<string, Kept>();
          for (const done of operations) {
            naively(model, done);
            perform(networks, done);
            expect(cache.bytes).toBeLessThanOrEqual(maxBytes);
          }
          let entries = 0;
          let bytes = 0;
          for (const at of Array.from({ length: 122 }, (_, index) => index)) {
            const key = `${at >> 1}`;
            const stored = networks[at & 1]?.get(key);
            if (stored === undefined) continue;
            const expected = model.get(`${at & 1}/${key}`);
            expect(stored.block).toBe(expected?.block);
            expect(`${stored.value}`).toBe(`${expected?.value}`);
            entries++;
            bytes += key.length + stored.value.length + (stored.value.length > 4_096 ? 472 : 272);
          }
          expect(cache).toMatchObject({ entries, bytes });
        },
      ),
      // To shrink a failure takes longer than a test may.
      { numRuns: 1_000, seed: 7, endOnFailure: true },
    );
  });
});
