import { beforeEach, describe, expect, test } from "vitest";
import { type Due, fire } from "../lib/timer-wheel.ts";
import type { Asker, UpstreamRequest } from "../transports/transport.ts";
import type { UpstreamAnswer } from "../transports/upstream-answer.ts";
import { Attempt } from "../upstreams/attempt.ts";
import { Upstream } from "../upstreams/upstream.ts";
import { Router } from "./router.ts";
import type { FetchOutcome, RoutedRequest, RoutingObserver } from "./routing.ts";

let now: number;
/** What was asked of whom, and how much time it was given. */
let asked: { name: string; timeoutMs: number }[];
let observed: string[];
let timers: { readonly atMs: number; readonly run: () => void }[];
let capped: boolean;

beforeEach(() => {
  now = 1000;
  asked = [];
  observed = [];
  timers = [];
  capped = false;
});

type Reply =
  | UpstreamAnswer
  | { readonly after: number; readonly answer: UpstreamAnswer }
  /** Answers when it likes to. */
  | ((done: (answer: UpstreamAnswer) => void) => void);

const clock = { now: () => now, monotonic: () => now };
const wheel = {
  set: (delayMs: number, due: Due) => {
    const timer = { dueTick: 0, atMs: now + delayMs, due, run: () => fire(due), place: 0 };
    timers.push(timer);
    return timer;
  },
  clear: (timer: object) => {
    timers = timers.filter((each) => each !== timer);
  },
};

let made = 0;

/** An upstream that gives these answers one after another, each after some time. */
function upstream(name: string, ...replies: Reply[]): Upstream {
  const left = [...replies];
  const call = ({ timeoutMs }: UpstreamRequest, asker: Asker) => {
    const done = (answer: UpstreamAnswer) => asker.answered(answer);
    asked.push({ name, timeoutMs });
    const reply = left.shift() ?? replies.at(-1);
    if (reply === undefined) throw new Error("nothing to say");
    if (typeof reply === "function") {
      reply(done);
      return { cancel: () => undefined };
    }
    const { after, answer } = "after" in reply ? reply : { after: 0, answer: reply };
    now += Math.min(after, timeoutMs);
    done(after >= timeoutMs ? { kind: "timeout" } : answer);
    return { cancel: () => undefined };
  };
  made += 1;
  const options = { name, role: "primary", index: made, lacks: [], archive: "auto" } as const;
  const built = new Upstream(options, {
    transport: { isConnected: true, call, close: async () => undefined },
    clock,
    observe: (outcome) => observed.push(`${options.name} ${outcome}`),
    events: {
      advanced: () => undefined,
      changed: () => undefined,
      answering: () => undefined,
      broke: () => undefined,
      asked: () => undefined,
    },
  });
  built.chain = "right";
  built.head = 100;
  // In the order in which they were made, the cheaper first.
  built.latency.record(made);
  return built;
}

const observer: RoutingObserver = {
  hedged: (slow, outcome) => observed.push(`hedge beside ${slow} ${outcome}`),
  retried: () => undefined,
  partner: (outcome) => observed.push(`partner ${outcome}`),
  contradicted: (name) => observed.push(`${name} contradicted`),
};

type Request = Omit<RoutedRequest, "done">;

const REQUEST: Request = {
  need: {
    ...{ method: "eth_getBalance", block: 100, strict: false, depth: 0, head: 100, slack: 5 },
    ...{ lookup: false, exists: false, future: false, answerBlock: undefined, partner: false },
  },
  params: "[]",
  deadlineMs: 9000,
};

const routerOf = (upstreams: Upstream[]): Router =>
  new Router(
    { hedgeShare: 0.1 },
    {
      upstreams,
      clock,
      timers: wheel,
      // Of three the first two are compared.
      random: () => 0.99,
      askCaps: (_timeoutMs, done) => done(!capped),
      observer,
      verify: (who, _timeoutMs, done) => {
        observed.push(`${who.name} verified`);
        who.chain = "right";
        done();
      },
      seen: (who, block) => {
        who.head = block;
      },
    },
  );

const fetch = (upstreams: Upstream[], method = "eth_getBalance"): FetchOutcome =>
  ask(upstreams, { need: { ...REQUEST.need, method } });

const ask = (upstreams: Upstream[], particulars: Partial<Request> = {}): FetchOutcome => {
  const outcomes: FetchOutcome[] = [];
  const request = { ...REQUEST, deadlineMs: now + 8000, ...particulars };
  routerOf(upstreams).fetch({ ...request, done: (each) => outcomes.push(each) });
  runUntilDone(outcomes);
  expect(outcomes).toHaveLength(1);
  return outcomes[0] as FetchOutcome;
};
/** Lets the time pass until the next timer is due. */
const runNext = () => {
  const first = timers.reduce((one, other) => (other.atMs < one.atMs ? other : one));
  timers = timers.filter((each) => each !== first);
  now = Math.max(now, first.atMs);
  first.run();
};
const runUntilDone = (outcomes: readonly FetchOutcome[]) => {
  while (outcomes.length === 0 && timers.length > 0) runNext();
};
const names = () => asked.map(({ name }) => name);

const result = (text: string): UpstreamAnswer => ({ kind: "result", result: [Buffer.from(text)] });
const error = (code: number, message: string, status = 200): UpstreamAnswer => ({
  kind: "error",
  status,
  error: { code, message },
});
const good = result('"0x1"');
const hangs = { after: 1e9, answer: good };
const reset: UpstreamAnswer = { kind: "unreachable", code: "ECONNRESET" };
const page: UpstreamAnswer = { kind: "garbage", status: 502, body: "<html>" };
const unknown = error(-31999, "something that no row maps");
const unknownMethod = error(-32601, "the method x does not exist/is not available");
const noState = error(-32000, "missing trie node 12 (path )");
const noBlock = error(-32000, "header not found");
const limited = error(-32005, "too many requests", 429);

describe("the first answer is the answer", () => {
  test("the first upstream's, and no other is asked", () => {
    expect(fetch([upstream("a", good), upstream("b", result("2"))])).toMatchObject({
      ...good,
      upstream: { name: "a" },
    });
    expect(names()).toEqual(["a"]);
    expect(observed).toEqual(["a ok"]);
  });

  test.each<[string, Reply, string]>([
    ["a reset", reset, "unreachable"],
    ["silence", hangs, "timeout"],
    ["a page", page, "internal"],
    ["a rate limit", limited, "rate_limited"],
    ["a node that is still syncing", error(-32000, "node is syncing"), "syncing"],
    ["a node without the state", noState, "missing_state"],
    ["a node without the block", noBlock, "block_unknown"],
    ["a node without the method", unknownMethod, "method_unknown"],
    ["an error that nobody knows", unknown, "unknown"],
  ])("after %s, the second upstream's", (_name, failure, label) => {
    expect(fetch([upstream("a", failure), upstream("b", good)])).toMatchObject({
      ...good,
      upstream: { name: "b" },
    });
    expect(names()).toEqual(["a", "b"]);
    expect(observed).toEqual([`a ${label}`, "b ok"]);
  });

  test.each<[string, UpstreamAnswer, string]>([
    ["a revert", error(3, "execution reverted: no"), "revert"],
    ["bad params", error(-32602, "invalid argument 0: no"), "invalid_params"],
    [
      "a call that cannot be paid",
      error(-32000, "insufficient funds for transfer"),
      "call_rejected",
    ],
  ])("%s is the answer, and no other is asked", (_name, failure, label) => {
    const outcome = fetch([upstream("a", failure), upstream("b", good)]);
    expect(outcome).toMatchObject({ kind: "failure", failure: { class: label }, upstream: "a" });
    expect(names()).toEqual(["a"]);
  });

  test("an answer that is too large is final", () => {
    const outcome = fetch([upstream("a", { kind: "too_large" }), upstream("b", good)]);
    expect(outcome).toEqual({ kind: "too_large", upstream: "a" });
    expect(names()).toEqual(["a"]);
  });

  test("a revert that comes as a result is one, of eth_call alone", () => {
    const payload = `0x08c379a0${"20".padStart(64, "0")}${"2".padStart(64, "0")}${"6e6f".padEnd(64, "0")}`;
    const asResult = result(`"${payload}"`);
    expect(fetch([upstream("a", asResult)], "eth_call")).toMatchObject({
      kind: "failure",
      failure: { class: "revert", reason: "no" },
    });
    expect(fetch([upstream("a", asResult)], "eth_getCode").kind).toBe("result");
  });
});

describe("the time", () => {
  test("of one attempt is half of what is left while another upstream remains", () => {
    fetch([upstream("a", hangs), upstream("b", hangs), upstream("c", good)]);
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([4000, 2000, 2000]);
  });

  test("is all for an upstream that is alone", () => {
    expect(fetch([upstream("a", hangs)]).kind).toBe("exhausted");
    expect(asked).toEqual([{ name: "a", timeoutMs: 8000 }]);
    expect(now).toBe(9000);
  });

  test("that a quick failure leaves goes to the next", () => {
    fetch([upstream("a", { after: 100, answer: reset }), upstream("b", good)]);
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([4000, 7900]);
  });

  test("of one attempt is half, too, where a node has to show its chain before it is asked again", () => {
    const stale: UpstreamAnswer = { kind: "unreachable", code: "ECONNRESET", isStale: true };
    const closed = upstream(
      "a",
      (done) => {
        closed.head = -1;
        done(stale);
      },
      good,
    );
    expect(fetch([closed, upstream("b", hangs)])).toMatchObject(good);
    expect(names()).toEqual(["a", "b", "a"]);
    expect(asked[1]?.timeoutMs).toBe(4000);
  });

  test("of one attempt is half, too, while another node has to show its chain", () => {
    const unchecked = at(upstream("b", good), { head: -1 });
    unchecked.chain = "unknown";
    const slow = upstream("a", (done) => {
      now += asked[0]?.timeoutMs ?? 0;
      Object.assign(unchecked, { chain: "right", head: 100 });
      done({ kind: "timeout" });
    });
    expect(fetch([slow, unchecked])).toMatchObject({ ...good, upstream: { name: "b" } });
    expect(asked[0]?.timeoutMs).toBe(4000);
  });

  test("is left for a node whose connection had ended, before partners, though its head is not known", () => {
    const stale: UpstreamAnswer = { kind: "unreachable", code: "ECONNRESET", isStale: true };
    const closed = upstream(
      "a",
      (done) => {
        closed.head = -1;
        done(stale);
      },
      good,
    );
    const need = { ...REQUEST.need, partner: true };
    expect(ask([closed, partner("p", good)], { need })).toMatchObject(good);
    expect(names()).toEqual(["a", "a"]);
  });

  test("that is over is not waited for again", () => {
    const many = Array.from({ length: 20 }, (_, index) => upstream(`u${index}`, hangs));
    expect(fetch(many).kind).toBe("exhausted");
    expect(now - 1000).toBeLessThanOrEqual(8000);
    expect(names().length).toBeLessThan(12);
  });
});

describe("where every upstream fails", () => {
  const classOf = (...replies: Reply[]): string => {
    const outcome = fetch(replies.map((reply, index) => upstream(`u${index}`, reply)));
    return outcome.kind === "failure"
      ? `${outcome.failure.class} of ${outcome.upstream}`
      : outcome.kind;
  };

  test("in ways that say nothing of the call, nobody answered", () => {
    expect(classOf(page, reset, limited)).toBe("exhausted");
  });

  test("an error that nobody knows is asked of one other, and then given", () => {
    expect(classOf(unknown, unknown, good)).toBe("unknown of u1");
    expect(names()).toEqual(["u0", "u1"]);
    asked = [];
    expect(classOf(unknown, page, reset)).toBe("unknown of u0");
    expect(names()).toEqual(["u0", "u1", "u2"]);
  });

  test("a missing state says more than an unknown block, and that more than a fault", () => {
    expect(classOf(noBlock, noState, page)).toBe("missing_state of u1");
    expect(classOf(noState, noBlock, reset)).toBe("missing_state of u0");
    expect(classOf(page, noBlock, limited)).toBe("block_unknown of u1");
    expect(classOf(noBlock, unknown)).toBe("block_unknown of u0");
  });

  test("of several that say as much, the first is given", () => {
    expect(classOf(noState, noState)).toBe("missing_state of u0");
    expect(classOf(noBlock, noBlock)).toBe("block_unknown of u0");
  });

  test("a method is unknown only where every node says so", () => {
    expect(classOf(unknownMethod)).toBe("method_unknown of u0");
    expect(classOf(unknownMethod, unknownMethod)).toBe("method_unknown of u0");
    expect(classOf(unknownMethod, reset)).toBe("exhausted");
    expect(classOf(limited, unknownMethod)).toBe("exhausted");
    expect(classOf(unknownMethod, hangs)).toBe("exhausted");
    expect(classOf(unknownMethod, noState)).toBe("missing_state of u1");
    expect(classOf(noState, unknownMethod)).toBe("missing_state of u0");
  });

  test("the log is told of each attempt", () => {
    const outcome = fetch([upstream("a", reset), upstream("b", hangs), upstream("c", limited)]);
    expect(outcome).toEqual({
      kind: "exhausted",
      internal: "a: ECONNRESET; b: no answer in time; c: rate_limited: too many requests",
    });
    expect(observed).toEqual(["a unreachable", "b timeout", "c rate_limited"]);
  });
});

const nothing = result("null");
const LOOKUP: Pick<Request, "need"> = {
  need: {
    ...REQUEST.need,
    ...{ block: -1, depth: -1, method: "eth_getTransactionReceipt" },
    ...{ lookup: true, answerBlock: "blockNumber" },
  },
};
const at = (built: Upstream, traits: Partial<Upstream>): Upstream => Object.assign(built, traits);
const partner = (name: string, ...replies: Reply[]) =>
  at(upstream(name, ...replies), { role: "partner" } as Partial<Upstream>);

describe("null", () => {
  const receipt = result('{"blockNumber":"0x63"}');

  test("is given once a second node confirms it, and no third one is asked", () => {
    const nodes = [upstream("a", nothing), upstream("b", nothing), upstream("c", receipt)];
    expect(ask(nodes, LOOKUP)).toMatchObject(nothing);
    expect(names()).toEqual(["a", "b"]);
  });

  test("of a node that is alone is given at once", () => {
    expect(ask([upstream("a", nothing)], LOOKUP)).toMatchObject(nothing);
  });

  test("is not given where another node finds it, and counts against who said it", () => {
    const nodes = [upstream("a", nothing), upstream("b", receipt)];
    expect(ask(nodes, LOOKUP)).toMatchObject(receipt);
    expect(observed).toContain("a contradicted");
  });

  test("is what a node said of the blocks that it had then, whatever comes to it later", () => {
    const first = at(upstream("a", nothing), { head: 98 });
    const gets = (done: (answer: UpstreamAnswer) => void) => {
      first.head = 99;
      done(nothing);
    };
    const nodes = [first, at(upstream("b", gets), { head: 98 }), upstream("c", receipt)];
    const third = nodes[2] as Upstream;
    third.begin(new Attempt(third, now));
    const need = { ...LOOKUP.need, block: -1, head: 99 };
    expect(
      ask([...nodes.slice(0, 2), at(nodes[2] as Upstream, { head: 99 })], { need }),
    ).toMatchObject(receipt);
    expect(observed).not.toContain("a contradicted");
  });

  test.each(["won", "lost"])("a hedge that %s is told of once, whoever answered", (told) => {
    let slow: (answer: UpstreamAnswer) => void = () => undefined;
    const holds = (done: typeof slow) => {
      slow = done;
    };
    const warm = Array.from({ length: 20 }, () => good);
    const second = told === "won" ? good : () => undefined;
    const router = routerOf([upstream("a", ...warm, holds), upstream("b", second)]);
    const outcomes: FetchOutcome[] = [];
    const done = (outcome: FetchOutcome) => void outcomes.push(outcome);
    for (let call = 0; call < 21; call += 1) router.fetch({ ...REQUEST, done });
    // The hedge.
    for (const timer of [...timers]) timer.run();
    if (told === "lost") slow(good);
    expect(outcomes[20]).toMatchObject(good);
    expect(observed.filter((each) => each.startsWith("hedge"))).toEqual([`hedge beside a ${told}`]);
  });

  test("of a hedge is not given while the first node may still find it, for a while", () => {
    for (const isFound of [true, false]) {
      let first: (answer: UpstreamAnswer) => void = () => undefined;
      const hold = (done: typeof first) => {
        first = done;
      };
      const warm = Array.from({ length: 20 }, () => receipt);
      const router = routerOf([upstream("a", ...warm, hold), upstream("b", nothing)]);
      const outcomes: FetchOutcome[] = [];
      const done = (outcome: FetchOutcome) => void outcomes.push(outcome);
      const fetchOne = () => router.fetch({ ...REQUEST, ...LOOKUP, done });
      for (let call = 0; call < 21; call += 1) fetchOne();
      // The hedge.
      for (const timer of [...timers]) timer.run();
      expect(outcomes).toHaveLength(20);
      if (isFound) first(receipt);
      else for (const timer of [...timers]) timer.run();
      expect(outcomes[20]).toMatchObject(isFound ? receipt : nothing);
    }
  });

  test("does not count against a node to which the block may not have come", () => {
    const nodes = [at(upstream("a", nothing), { head: 98 }), upstream("b", receipt)];
    expect(ask(nodes, { need: { ...LOOKUP.need, head: 98 } })).toMatchObject(receipt);
    expect(observed).not.toContain("a contradicted");
  });

  test("is not given while a node is ahead of those that said it", () => {
    const nodes = [
      at(upstream("a", nothing), { head: 98 }),
      at(upstream("b", nothing), { head: 98 }),
      at(upstream("c", nothing), { head: 98 }),
      at(upstream("d", receipt), { head: 99 }),
    ];
    expect(ask(nodes, { need: { ...LOOKUP.need, head: 98 } })).toMatchObject(receipt);
  });

  test("is what to expect of a block above the head: nobody has to confirm it", () => {
    const nodes = [upstream("a", nothing), upstream("b", nothing)];
    expect(ask(nodes, { need: { ...LOOKUP.need, future: true } })).toMatchObject(nothing);
    expect(names()).toEqual(["a"]);
  });

  test("for a block that the network has is given only where every node says so", () => {
    const exists = { need: { ...REQUEST.need, lookup: true, exists: true, depth: -1 } };
    expect(ask([upstream("a", nothing), upstream("b", nothing)], exists)).toMatchObject(nothing);
    expect(ask([upstream("a", nothing), upstream("b", reset)], exists).kind).toBe("exhausted");
    expect(ask([upstream("a", nothing), upstream("b", good)], exists)).toMatchObject(good);
  });

  test("of a method that looks nothing up is an answer like any other", () => {
    expect(ask([upstream("a", nothing), upstream("b", good)])).toMatchObject(nothing);
  });
});

describe("an answer that would stand alone, where the second node is slow,", () => {
  const silent = (done: (answer: UpstreamAnswer) => void) => {
    wheel.set(REQUEST.deadlineMs - now, () => done({ kind: "timeout" }));
  };
  const outcomesOf = (...replies: Reply[]) => {
    const outcomes: FetchOutcome[] = [];
    const nodes = replies.map((reply, index) => upstream(`u${index}`, reply));
    routerOf(nodes).fetch({ ...REQUEST, done: (each) => outcomes.push(each) });
    return outcomes;
  };
  const runTimers = () => {
    const due = timers;
    timers = [];
    for (const timer of due) timer.run();
  };

  test("yields to a third's", () => {
    const outcomes = outcomesOf(noBlock, silent, good);
    expect(names()).toEqual(["u0", "u1"]);
    runTimers();
    expect(outcomes).toMatchObject([good]);
    expect(names()).toEqual(["u0", "u1", "u2"]);
  });

  test("is given in the end where the last one is slow, too", () => {
    const outcomes = outcomesOf(noBlock, silent, silent);
    runTimers();
    expect(names()).toEqual(["u0", "u1", "u2"]);
    expect(outcomes).toEqual([]);
    runUntilDone(outcomes);
    expect(outcomes).toMatchObject([{ failure: { class: "block_unknown" }, upstream: "u0" }]);
  });
});

describe("the block that a call needs", () => {
  test("decides who is asked, whatever it costs", () => {
    const nodes = [at(upstream("a", good), { head: 99 }), upstream("b", result("2"))];
    expect(ask(nodes)).toMatchObject(result("2"));
    expect(names()).toEqual(["b"]);
  });

  test("is asked of a node behind it only after the others, and what it finds shows that it has it", () => {
    const behind = at(upstream("a", good), { head: 99 });
    expect(ask([behind, upstream("b", reset)])).toMatchObject(good);
    expect(names()).toEqual(["b", "a"]);
    expect(behind.head).toBe(100);
  });

  test("is waited for, and who got it answers", () => {
    const behind = at(upstream("a", noBlock, good), { head: 99 });
    const outcomes: FetchOutcome[] = [];
    const router = routerOf([behind]);
    router.fetch({ ...REQUEST, done: (each) => outcomes.push(each) });
    expect(outcomes).toEqual([]);
    router.wake();
    expect(outcomes).toEqual([]);
    behind.head = 100;
    router.wake();
    expect(outcomes).toMatchObject([good]);
    router.wake();
    expect(names()).toEqual(["a", "a"]);
  });

  test("that does not come in time: nobody answered", () => {
    const behind = at(upstream("a", noBlock), { head: 99 });
    const outcomes: FetchOutcome[] = [];
    routerOf([behind]).fetch({ ...REQUEST, done: (each) => outcomes.push(each) });
    runUntilDone(outcomes);
    expect(outcomes).toMatchObject([{ kind: "exhausted" }]);
  });

  test("is asked again of a node that had it, and lost it", () => {
    expect(fetch([upstream("a", noBlock, noBlock, noBlock, good)])).toMatchObject(good);
    expect(names()).toEqual(["a", "a", "a", "a"]);
    expect(now - 1000).toBe(200 + 400 + 800);
  });

  test.each([100, -1])(
    "%d is waited for, before partners, while it is found out where its node's new head joins",
    (block) => {
      const forked = upstream("a", good);
      Object.assign(forked, { isForked: true, forkedAfter: Number.POSITIVE_INFINITY });
      const outcomes: FetchOutcome[] = [];
      const router = routerOf([forked, partner("p", good)]);
      const need = { ...REQUEST.need, block, partner: true };
      router.fetch({ ...REQUEST, need, done: (each) => outcomes.push(each) });
      expect(names()).toEqual([]);
      forked.isForked = false;
      router.wake();
      expect(outcomes).toMatchObject([good]);
      expect(names()).toEqual(["a"]);
    },
  );

  test("is waited for beyond a second where partners cannot answer", () => {
    capped = true;
    const lost = Array.from({ length: 4 }, () => noBlock);
    const nodes = [upstream("a", ...lost, good), partner("p", good)];
    expect(ask(nodes, { need: { ...REQUEST.need, partner: true } })).toMatchObject(good);
    expect(observed.filter((each) => each.startsWith("partner"))).toEqual(["partner capped"]);
    expect(now - 1000).toBeGreaterThan(1000);
  });

  test("is waited for after partners at a node that is behind it, too", () => {
    const behind = at(upstream("a", noBlock), { head: 99 });
    const need = { ...REQUEST.need, partner: true };
    const outcomes: FetchOutcome[] = [];
    const router = routerOf([behind, partner("p", reset)]);
    router.fetch({ ...REQUEST, need, done: (each) => outcomes.push(each) });
    runNext();
    expect(names()).toEqual(["p", "a"]);
    expect(outcomes).toEqual([]);
    runUntilDone(outcomes);
    expect(outcomes).toMatchObject([{ kind: "exhausted" }]);
    expect(now).toBeGreaterThan(8900);
  });

  test("is what a node said that lost it, where it does not come back within two seconds", () => {
    const outcome = fetch([upstream("a", noBlock)]);
    expect(outcome).toMatchObject({ failure: { class: "block_unknown" }, upstream: "a" });
    expect(now - 1000).toBe(2000);
    expect(names()).toHaveLength(5);
  });

  test("is null after a second where the network has it and no node finds it any more", () => {
    const need = { ...REQUEST.need, lookup: true, exists: true };
    expect(ask([upstream("a", nothing)], { need })).toMatchObject(nothing);
    expect(now - 1000).toBe(1000);
    now = 1000;
    expect(ask([upstream("a", nothing, nothing, good)], { need })).toMatchObject(good);
    expect(observed).not.toContain("a contradicted");
  });

  test("is not waited for where it is an old one, which does not come back", () => {
    const need = { ...REQUEST.need, block: 94 };
    const outcome = ask([upstream("a", noBlock)], { need });
    expect(outcome).toMatchObject({ failure: { class: "block_unknown" } });
    expect(now).toBe(1000);
  });

  test("is not asked of a node behind it where that would answer with what it has", () => {
    const need = { ...REQUEST.need, method: "eth_getLogs", partial: true };
    const behind = at(upstream("a", result("[]")), { head: 99 });
    const outcomes: FetchOutcome[] = [];
    const router = routerOf([behind, upstream("b", reset)]);
    router.fetch({ ...REQUEST, need, done: (each) => outcomes.push(each) });
    runUntilDone(outcomes);
    expect(outcomes).toMatchObject([{ kind: "exhausted" }]);
    expect(names()).toEqual(["b"]);
    expect(behind.head).toBe(99);
  });

  test.each([
    { which: "above the last block of both forks", forkedAfter: 98, block: 100, asked: [] },
    { which: "of both forks", forkedAfter: 100, block: 100, asked: ["b"] },
    { which: "whose number nobody knows", forkedAfter: 98, block: -1, asked: [] },
    { which: "of a fork that parts nobody knows where", block: -1, asked: ["b"] },
  ])("$which: asked of a node on another fork $asked.length times", (row) => {
    const { block, asked: expected, ...fork } = row;
    const forked = Object.assign(upstream("b", good), { isForked: true }, fork);
    const outcomes: FetchOutcome[] = [];
    const request = { ...REQUEST, need: { ...REQUEST.need, block } };
    routerOf([upstream("a", reset), forked]).fetch({
      ...request,
      done: (each) => outcomes.push(each),
    });
    expect(names()).toEqual(["a", ...expected]);
    expect(outcomes[0]?.kind).toBe(expected.length > 0 ? "result" : "exhausted");
  });

  test("where the client has seen it, is never answered for by a node without it", () => {
    const behind = at(upstream("a", good), { head: 99 });
    const outcomes: FetchOutcome[] = [];
    const strict = { ...REQUEST, need: { ...REQUEST.need, strict: true } };
    routerOf([behind]).fetch({ ...strict, done: (each) => outcomes.push(each) });
    expect(names()).toEqual([]);
    runUntilDone(outcomes);
    expect(outcomes).toEqual([{ kind: "behind" }]);
  });
});

describe("partners", () => {
  const mayAsk = { need: { ...REQUEST.need, partner: true } };

  test("whose head nobody knows yet answer for logs, which do not show their head", () => {
    const need = { ...mayAsk.need, method: "eth_getLogs", partial: true };
    const unknown = at(partner("p", good), { head: -1 });
    expect(ask([upstream("a", page), unknown], { need })).toMatchObject(good);
    expect(unknown.head).toBe(-1);
  });

  test("are asked once no primary can answer", () => {
    const nodes = [upstream("a", page), partner("p", good)];
    expect(ask(nodes, mayAsk)).toMatchObject({ ...good, upstream: { name: "p" } });
    expect(names()).toEqual(["a", "p"]);
    expect(observed).toContain("partner asked");
  });

  test("are not asked while a primary answers, nor for a plan without them", () => {
    expect(ask([upstream("a", good), partner("p", good)], mayAsk)).toMatchObject(good);
    expect(ask([upstream("b", page), partner("q", good)]).kind).toBe("exhausted");
    expect(names()).toEqual(["a", "b"]);
  });

  test("are not asked where a block was waited for, and a node has a place by then that had none", () => {
    const full: UpstreamAnswer = { kind: "no_place" };
    const behind = at(upstream("b", page), { head: 99 });
    const nodes = [upstream("a", full, good), behind, partner("p", good)];
    expect(ask(nodes, mayAsk)).toMatchObject({ ...good, upstream: { name: "a" } });
    expect(names()).toEqual(["a", "a"]);
    expect(now - 1000).toBe(1000);
  });

  test("are not asked beyond the cap", () => {
    capped = true;
    expect(ask([upstream("a", page), partner("p", good)], mayAsk).kind).toBe("exhausted");
    expect(names()).toEqual(["a"]);
    expect(observed).toContain("partner capped");
  });

  test("are counted against the cap again when they are asked again after their connection ended", () => {
    const stale: UpstreamAnswer = { kind: "unreachable", code: "ECONNRESET", isStale: true };
    expect(ask([upstream("a", page), partner("p", stale, good)], mayAsk)).toMatchObject(good);
    expect(names()).toEqual(["a", "p", "p"]);
    const told = observed.filter((each) => each.startsWith("partner"));
    expect(told).toEqual(["partner asked", "partner asked"]);
  });

  test("get what is left of the time, of which a primary had half", () => {
    ask([upstream("a", hangs), partner("p", good)], mayAsk);
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([4000, 4000]);
  });

  test("come before a primary that is known to fail, which is asked before any 503", () => {
    const broken = upstream("a", good);
    for (let fault = 0; fault < 5; fault += 1) broken.breaker.failed();
    expect(ask([broken, partner("p", reset)], mayAsk)).toMatchObject(good);
    expect(names()).toEqual(["p", "a"]);
  });
});

describe("a node whose chain nobody has checked", () => {
  test("is checked before it is asked", () => {
    const unchecked = at(upstream("a", good), { chain: "unknown" });
    expect(ask([unchecked])).toMatchObject(good);
    expect(observed).toEqual(["a verified", "a ok"]);
  });

  test("of the wrong one is never asked", () => {
    const wrong = at(upstream("a", good), { chain: "wrong" });
    expect(ask([wrong]).kind).toBe("exhausted");
    expect(names()).toEqual([]);
  });

  test("that an operator drained is not asked either", () => {
    expect(ask([at(upstream("a", good), { drained: true })]).kind).toBe("exhausted");
    expect(names()).toEqual([]);
  });
});

describe("what an answer teaches", () => {
  test("a node that lacks the method is asked last", () => {
    const lacking = upstream("a", unknownMethod, good);
    const other = upstream("b", good);
    ask([lacking, other]);
    ask([lacking, other]);
    expect(names()).toEqual(["a", "b", "b"]);
  });

  test("a node that lacks the state is asked last for states as old", () => {
    const pruned = upstream("a", noState, good);
    const other = upstream("b", good);
    const old = { need: { ...REQUEST.need, block: 10, depth: 90 } };
    ask([pruned, other], old);
    ask([pruned, other], old);
    ask([pruned, other]);
    expect(names()).toEqual(["a", "b", "b", "a"]);
  });

  test("a node that says too many is left alone", () => {
    const busy = upstream("a", limited, good);
    const other = upstream("b", good);
    ask([busy, other]);
    ask([busy, other]);
    expect(names()).toEqual(["a", "b", "b"]);
  });

  test("a node that fails again and again is left alone, and a contract's failures are no reason", () => {
    const failing = upstream("a", page);
    const reverting = upstream("b", error(3, "execution reverted: rate limit"));
    for (let call = 0; call < 8; call += 1) ask([failing, reverting]);
    expect(names().filter((name) => name === "a")).toHaveLength(5);
    expect(failing.state).toBe("breaker open");
    expect(reverting.state).toBe("ready");
  });

  test("a node that fails fast is not taken for a fast one", () => {
    const failing = upstream("a", page, good);
    const slow = upstream("b", good);
    for (const [node, ms] of [
      [failing, 1],
      [slow, 50],
    ] as const) {
      node.latency.reset();
      now += 100;
      node.latency.record(ms);
    }
    ask([failing, slow]);
    ask([failing, slow]);
    expect(names()).toEqual(["a", "b", "b"]);
  });
});
