import { beforeEach, describe, expect, test } from "vitest";
import { VirtualTime } from "../../test/simulation/virtual-time.ts";
import type { Stored } from "../cache/entry.ts";
import { MemoryCache } from "../cache/memory-cache.ts";
import { FAMILIES } from "../methods/families.ts";
import type { FetchOutcome, RoutedNeed } from "../routing/routing.ts";
import { Metrics } from "../telemetry/metrics.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { LargeBuffers } from "../wire/bytes/large-buffers.ts";
import { type Answer, Answers } from "./answers.ts";
import { DiskTier } from "./disk-tier.ts";
import type { Plan } from "./network.ts";

const largeBuffers = new LargeBuffers();

const UPSTREAM = { name: "node" } as Upstream;
const NEED = {} as RoutedNeed;
const TIMEOUT_MS = 8000;
const EXHAUSTED: FetchOutcome = { kind: "exhausted", internal: "all failed" };

type Asked = {
  readonly params: string;
  readonly deadlineMs: number;
  answer: (given: Given) => void;
};
type Given = FetchOutcome | string | readonly Buffer[];

let time: VirtualTime;
let cache: MemoryCache;
let answers: Answers;
/** What nodes were asked, in order. */
let asked: Asked[];
/** With what an answer is kept, whatever it is. */
let keptWith: number | undefined;
/** Whether a primary has shown the block of a partner's answer. */
let isShown: boolean;
/** What every result becomes; undefined: it stays. */
let shaped: readonly string[] | undefined;
/** What nodes say before asking returns; undefined: they answer later. */
let answersAtOnce: FetchOutcome | undefined;
let refusal: { readonly name: "archive_unavailable" } | undefined;
const metrics = () => metricsOf.cache;
let metricsOf: ReturnType<Metrics["network"]>;

beforeEach(() => {
  time = new VirtualTime();
  cache = new MemoryCache({ maxBytes: 10_000_000 });
  metricsOf = new Metrics().network("net");
  asked = [];
  keptWith = 16;
  isShown = false;
  refusal = undefined;
  shaped = undefined;
  answersAtOnce = undefined;
  answers = answersOn(undefined);
});

function answersOn(disk: DiskTier | undefined): Answers {
  return new Answers(
    {
      needOf: () => NEED,
      ask: (request) => {
        const { params, deadlineMs } = request;
        const answer = (given: Given) => request.done(outcomeOf(given));
        asked.push({ params, deadlineMs, answer });
        if (answersAtOnce !== undefined) answer(answersAtOnce);
      },
      together: (run) => run(),
      isOfMoment: ({ definition }) => definition.cache === "never",
      accept: (_plan, { result }) => refusal ?? shaped ?? result,
      blockOf: () => keptWith,
      isPassing: ({ definition, tagged }) => definition.state && tagged !== undefined,
      isShown: () => isShown,
    },
    {
      cache: { isOff: false, open: (method) => cache.open(method) },
      clock: time.clock,
      timers: time,
      turnEnds: (run) => time.after(0, run),
      metrics: metricsOf,
      buffers: largeBuffers,
      disk,
    },
  );
}

function outcomeOf(given: Given): FetchOutcome {
  if (typeof given !== "string" && "kind" in given) return given;
  const result = typeof given === "string" ? [Buffer.from(given)] : given;
  return { kind: "result", result, upstream: UPSTREAM, askedMs: 0 };
}

/** Of a state read by number, unless told otherwise. */
function planOf(more: Partial<Plan> & { readonly method?: string } = {}): Plan {
  const { method = "eth_getBalance", ...rest } = more;
  const definition = FAMILIES.evm.lookUp(method);
  if (definition === undefined) throw new Error("no such method");
  return {
    ...{ definition, args: ["0xab", "0x10"], block: 16, named: 16, depth: 0, head: 16 },
    ...{ tagged: undefined, exists: false, future: false },
    ...{ minBlock: -1, partner: false, isKept: true, epoch: answers.epoch },
    ...{ params: undefined, hash: 0 },
    ...{ shape: { pending: false, pendingBlock: "node", signatures: "node" } as Plan["shape"] },
    ...rest,
  };
}

const fetched = (plan: Plan, timeoutMs = TIMEOUT_MS): Answer[] => {
  const got: Answer[] = [];
  const answered = (answer: Answer) => void got.push(answer);
  answers.fetch(plan, {
    account: "acct",
    keyId: "key",
    deadlineMs: time.nowMs + timeoutMs,
    answered,
  });
  return got;
};
const textOf = ([answer]: readonly Answer[]): string | undefined =>
  answer?.kind === "result" ? answer.result.map(String).join("") : answer?.kind;
const recalled = (plan: Plan): string | undefined =>
  answers.recall(plan)?.result.map(String).join("");

describe("of a partner", () => {
  const PARTNER = { name: "paid", role: "partner" } as Upstream;
  const result = ['"0x1"'];
  const answer = { kind: "result", result, upstream: PARTNER, askedMs: 0 } as const;

  test("an answer is kept for those whom partners answer, until its block is replaced", () => {
    fetched(planOf({ partner: true }));
    asked[0]?.answer(answer);
    expect(recalled(planOf({ partner: true }))).toBe('"0x1"');
    expect(recalled(planOf())).toBeUndefined();
    answers.reorganised(15);
    expect(recalled(planOf({ partner: true }))).toBeUndefined();
  });

  test("an answer of a block that a primary has shown is kept for all", () => {
    isShown = true;
    fetched(planOf({ partner: true }));
    asked[0]?.answer(answer);
    expect(recalled(planOf())).toBe('"0x1"');
  });

  test("an answer does not stand in the way of a primary's", () => {
    fetched(planOf({ partner: true }));
    asked[0]?.answer(answer);
    fetched(planOf());
    asked[1]?.answer('"0x2"');
    expect(recalled(planOf())).toBe('"0x2"');
    expect(recalled(planOf({ partner: true }))).toBe('"0x2"');
  });
});

test("an answer is what the network makes of a node's, and that is what is kept", () => {
  const got = fetched(planOf());
  shaped = ['"0x01"'];
  asked[0]?.answer('"0x1"');
  expect(got).toEqual([{ kind: "result", result: shaped, upstream: UPSTREAM, askedMs: 0 }]);
  expect(recalled(planOf())).toBe('"0x01"');
});

/** A disk on which all is final, and what is there. */
function diskWith(records: Map<string, Stored>): DiskTier {
  const disk = new DiskTier({
    disk: {
      get: (key) => records.get(key),
      set: (key, stored) => void records.set(key, stored),
      clear: async () => records.clear(),
      witness: undefined,
    },
    clock: time.clock,
    hashOf: (_block, done) => done("0x01"),
  });
  disk.finalized(100);
  return disk;
}

describe("what was answered", () => {
  test("is given again without asking, with its block, until it is dropped", () => {
    expect(answers.recall(planOf())).toBeUndefined();
    const got = fetched(planOf());
    asked[0]?.answer('"0x1"');
    expect(textOf(got)).toBe('"0x1"');
    expect(answers.recall(planOf())).toEqual({ result: ['"0x1"'], block: 16 });
    expect(asked).toHaveLength(1);
    expect([metrics().hits.value, metrics().misses.value]).toEqual([1, 1]);
  });

  test("is told apart by the method and by each param", () => {
    fetched(planOf());
    asked[0]?.answer('"0x1"');
    expect(recalled(planOf({ method: "eth_getTransactionCount" }))).toBeUndefined();
    expect(recalled(planOf({ args: ["0xac", "0x10"] }))).toBeUndefined();
    expect(recalled(planOf({ args: ["0xab", "0x11"] }))).toBeUndefined();
    expect(recalled(planOf({ args: ["0xab", "0x10"] }))).toBe('"0x1"');
  });

  test("is told apart by the method while it is in the air, too", () => {
    fetched(planOf());
    fetched(planOf({ method: "eth_getTransactionCount" }));
    expect(asked).toHaveLength(2);
  });

  test("is told apart by the method on disk, where it is found again after a restart", () => {
    const disk = diskWith(new Map());
    const counted = "eth_getTransactionCount";
    answers = answersOn(disk);
    fetched(planOf());
    asked[0]?.answer('"0x1"');
    cache = new MemoryCache({ maxBytes: 10_000_000 });
    answers = answersOn(disk);
    expect(recalled(planOf({ method: counted }))).toBeUndefined();
    expect(recalled(planOf())).toBe('"0x1"');
  });

  test("by a tag serves who names the number, and the other way round", () => {
    fetched(planOf({ tagged: 16 }));
    asked[0]?.answer('"0x1"');
    expect(recalled(planOf({ tagged: undefined }))).toBe('"0x1"');
  });

  test("in pieces and beyond 8 KiB comes back byte for byte, and is a copy", () => {
    for (const length of [10, 8192, 8193, 60_000, 100_000]) {
      const pieces = [Buffer.alloc(length, "a"), Buffer.alloc(3, "b")];
      const plan = planOf({ args: [String(length), "0x10"] });
      // Large ones are kept when they are asked for a second time.
      for (const _ of [1, 2]) {
        fetched(plan);
        asked.at(-1)?.answer(pieces);
      }
      const whole = Buffer.concat(pieces).toString();
      for (const piece of pieces) piece.fill("x");
      expect(recalled(plan) === whole, `${length} bytes`).toBe(true);
    }
  });

  test("is not kept where its rule says so, and is given all the same", () => {
    keptWith = undefined;
    const got = fetched(planOf());
    asked[0]?.answer('"0x1"');
    expect(textOf(got)).toBe('"0x1"');
    expect(recalled(planOf())).toBeUndefined();
    fetched(planOf());
    expect(asked).toHaveLength(2);
  });

  test("is neither kept nor looked for where the plan is not to be kept: pending, the future", () => {
    fetched(planOf());
    asked[0]?.answer('"0x1"');
    const never = planOf({ isKept: false });
    expect(recalled(never)).toBeUndefined();
    expect(metrics().misses.value).toBe(0);
    fetched(planOf({ args: ["0xcd", "pending"], isKept: false }));
    asked[1]?.answer('"0x2"');
    expect(recalled(planOf({ args: ["0xcd", "pending"] }))).toBeUndefined();
  });

  test("is not kept where the network refuses it", () => {
    refusal = { name: "archive_unavailable" };
    const got = fetched(planOf());
    asked[0]?.answer('"0x1"');
    expect(got).toEqual([{ kind: "refused", error: refusal }]);
    refusal = undefined;
    expect(recalled(planOf())).toBeUndefined();
  });

  test("by a tag is forgotten once the head is four blocks on, by number it stays", () => {
    fetched(planOf({ tagged: 16 }));
    asked[0]?.answer('"0x1"');
    fetched(planOf({ args: ["0xcd", "0x10"] }));
    asked[1]?.answer('"0x2"');
    answers.advanced(20);
    expect(recalled(planOf())).toBe('"0x1"');
    answers.advanced(21);
    expect(recalled(planOf())).toBeUndefined();
    expect(recalled(planOf({ args: ["0xcd", "0x10"] }))).toBe('"0x2"');
  });
});

test("where hardly anything is asked twice, an answer is kept when it is: each method for itself", () => {
  const ask = (args: string[], method = "eth_getBalance") => {
    fetched(planOf({ args, method }));
    asked.at(-1)?.answer('"0x1"');
    return recalled(planOf({ args, method }));
  };
  // Some hundred show how it is.
  for (let at = 0; at < 1000; at += 1) {
    fetched(planOf({ args: [String(at)] }));
    asked.at(-1)?.answer('"0x1"');
  }
  expect(ask(["new"])).toBeUndefined();
  expect(ask(["new"])).toBe('"0x1"');
  expect(ask(["new"], "eth_getCode")).toBe('"0x1"');
});

describe("a reorganisation", () => {
  test("drops what belongs to blocks above the common ancestor, and nothing else", () => {
    const methods = ["eth_getBalance", "eth_getTransactionCount"];
    for (const method of methods) {
      for (const block of [14, 15, 16]) {
        keptWith = block;
        fetched(planOf({ method, args: ["0xab", `0x${block.toString(16)}`] }));
        asked.at(-1)?.answer(`"${block}"`);
      }
    }
    keptWith = -1;
    fetched(planOf({ args: ["constant"] }));
    asked.at(-1)?.answer('"constant"');
    answers.reorganised(14);
    for (const method of methods) {
      const at = (block: string) => recalled(planOf({ method, args: ["0xab", block] }));
      expect([at("0xe"), at("0xf"), at("0x10")]).toEqual(['"14"', undefined, undefined]);
    }
    expect(recalled(planOf({ args: ["constant"] }))).toBe('"constant"');
  });

  test("keeps out an answer that was asked for before it, which its caller still gets", () => {
    const got = fetched(planOf());
    answers.reorganised(14);
    asked[0]?.answer('"dead"');
    expect(textOf(got)).toBe('"dead"');
    expect(recalled(planOf())).toBeUndefined();
  });

  test("lets nobody join what was asked for before it, whichever answer comes first", () => {
    for (const first of [0, 1]) {
      asked.length = 0;
      const args = [String(first), "0x10"];
      const before = fetched(planOf({ args }));
      answers.reorganised(14);
      const after = [fetched(planOf({ args })), fetched(planOf({ args }))];
      expect(asked).toHaveLength(2);
      asked[first]?.answer(first === 0 ? '"dead"' : '"alive"');
      asked[1 - first]?.answer(first === 0 ? '"alive"' : '"dead"');
      expect(textOf(before)).toBe('"dead"');
      expect(after.map(textOf)).toEqual(['"alive"', '"alive"']);
      expect(recalled(planOf({ args }))).toBe('"alive"');
    }
  });

  test("leaves the new question open to others when the old one is answered", () => {
    fetched(planOf());
    answers.reorganised(14);
    const after = [fetched(planOf())];
    asked[0]?.answer('"dead"');
    after.push(fetched(planOf()));
    expect(asked).toHaveLength(2);
    asked[1]?.answer('"alive"');
    expect(after.map(textOf)).toEqual(['"alive"', '"alive"']);
  });

  test("does not let a plan of before it join a flight of after it", () => {
    const before = planOf();
    answers.reorganised(14);
    fetched(planOf());
    fetched(before);
    expect(asked).toHaveLength(2);
  });
});

describe("the same question, asked while it is in the air", () => {
  test("is asked once, answered to each, and kept once", () => {
    const got = Array.from({ length: 1000 }, () => fetched(planOf()));
    expect(asked).toHaveLength(1);
    asked[0]?.answer('"0x1"');
    expect(got.map(textOf)).toEqual(got.map(() => '"0x1"'));
    expect(got.every(({ length }) => length === 1)).toBe(true);
    expect([metrics().shared.value, cache.entries]).toEqual([999, 1]);
  });

  test("is another one where partners may answer, where its block is not there yet, or for who has seen a later block", () => {
    const plans = [
      {},
      { partner: true },
      { future: true },
      { minBlock: 17 },
      { minBlock: 18 },
      { partner: true, minBlock: 17 },
    ];
    for (const plan of plans) fetched(planOf(plan));
    expect(asked).toHaveLength(plans.length);
    for (const plan of [...plans, { minBlock: 16 }]) fetched(planOf(plan));
    expect(asked).toHaveLength(plans.length);
  });

  test("is not joined once it was asked, where the answer is of the moment", async () => {
    const price = () => fetched(planOf({ method: "eth_gasPrice", args: [], isKept: false }));
    const early = [price(), price()];
    expect(asked).toHaveLength(0);
    await time.run(time.nowMs, () => undefined);
    expect(asked).toHaveLength(1);
    const late = price();
    await time.run(time.nowMs, () => undefined);
    expect(asked).toHaveLength(2);
    asked[0]?.answer('"0x1"');
    expect(late).toEqual([]);
    asked[1]?.answer('"0x2"');
    expect([...early, late].map(textOf)).toEqual(['"0x1"', '"0x1"', '"0x2"']);
  });

  test("is asked once more for all who joined it, where nothing was found", () => {
    const wanted = { method: "eth_getTransactionReceipt", args: ["0xab"], named: -1 };
    const got = [1, 2, 3].map(() => fetched(planOf(wanted)));
    asked[0]?.answer("null");
    expect(got.map(textOf)).toEqual(["null", undefined, undefined]);
    expect(asked).toHaveLength(2);
    asked[1]?.answer("null");
    expect(got.map(textOf)).toEqual(["null", "null", "null"]);
    expect(asked).toHaveLength(2);
  });

  test("is answered to all who ask once more, where that is answered at once", () => {
    const wanted = { method: "eth_getTransactionReceipt", args: ["0xab"], named: -1 };
    const got = [1, 2, 3].map(() => fetched(planOf(wanted)));
    answersAtOnce = EXHAUSTED;
    asked[0]?.answer("null");
    expect(got.map(textOf)).toEqual(["null", "exhausted", "exhausted"]);
  });

  test("shares a failure of the nodes before its time is over", () => {
    const got = Array.from({ length: 3 }, () => fetched(planOf()));
    asked[0]?.answer(EXHAUSTED);
    expect(got).toEqual(got.map(() => [EXHAUSTED]));
    expect(asked).toHaveLength(1);
  });

  test("runs out of time for who was first alone: the others ask once more, together", async () => {
    const begunMs = time.nowMs;
    const first = fetched(planOf());
    await time.run(time.nowMs + 3000, () => undefined);
    const others = [fetched(planOf()), fetched(planOf())];
    await time.run(time.nowMs + 5000, () => undefined);
    asked[0]?.answer(EXHAUSTED);
    expect(first).toEqual([EXHAUSTED]);
    expect(others).toEqual([[], []]);
    expect(asked.map(({ deadlineMs }) => deadlineMs - begunMs)).toEqual([8000, 11_000]);
    asked[1]?.answer('"0x1"');
    expect(others.map(textOf)).toEqual(['"0x1"', '"0x1"']);
  });

  test("gives large bytes to each: they are not used again when the first has written them", () => {
    const large = () => largeBuffers.take(100_000);
    for (const callers of [1, 2]) {
      const args = [String(callers), "0x10"];
      const got = Array.from({ length: callers }, () => fetched(planOf({ args })));
      const bytes = large().fill("a");
      asked.at(-1)?.answer([bytes]);
      largeBuffers.giveBack(bytes);
      const next = large();
      expect(next.buffer === bytes.buffer, `${callers} callers`).toBe(callers === 1);
      next.fill("b");
      if (callers === 2) expect(got.every((each) => textOf(each)?.startsWith("a"))).toBe(true);
    }
  });
});
