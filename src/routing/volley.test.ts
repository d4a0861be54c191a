import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { timed } from "../../test/support/timed.ts";
import { TimerWheel } from "../lib/timer-wheel.ts";
import type { Asker, UpstreamRequest } from "../transports/transport.ts";
import type { UpstreamAnswer } from "../transports/upstream-answer.ts";
import { Upstream } from "../upstreams/upstream.ts";
import { Router } from "./router.ts";
import type { FetchOutcome, RoutedNeed, RoutedRequest } from "./routing.ts";
import { MOST_OF_VOLLEY } from "./volley.ts";

let now: number;
let timers: TimerWheel;
let pending: number;
let observed: string[];

beforeEach(() => {
  now = 1000;
  timers = new TimerWheel(timed({ monotonic: () => now }));
  pending = 0;
  observed = [];
});

const clock = { now: () => now, monotonic: () => now };
const passes = (ms: number): void => {
  for (let passed = 0; passed < ms; passed += 20) {
    now += 20;
    timers.advance();
  }
};

const good: UpstreamAnswer = { kind: "result", result: ['"0x1"'] };
const page: UpstreamAnswer = { kind: "garbage", status: 502, body: "<html>" };
const reset: UpstreamAnswer = { kind: "unreachable", code: "ECONNRESET" };
const revert: UpstreamAnswer = {
  kind: "error",
  status: 200,
  error: { code: 3, message: "execution reverted: no" },
};
const nothing: UpstreamAnswer = { kind: "result", result: ["null"] };

type Asked = { readonly request: UpstreamRequest; readonly asker: Asker };
type Reply = (request: UpstreamRequest) => UpstreamAnswer | undefined;

/** A node that answers at once, or, where it says undefined, when the test says so. */
class Node {
  readonly upstream: Upstream;
  readonly asked: Asked[] = [];
  isConnected = true;
  reply: Reply = () => undefined;

  constructor(
    name: string,
    { index = 0, requestsPerSecond = undefined as number | undefined } = {},
  ) {
    const options = { name, role: "primary", index, lacks: [], archive: "auto" } as const;
    const node = this;
    this.upstream = new Upstream(
      { ...options, requestsPerSecond },
      {
        transport: {
          get isConnected() {
            return node.isConnected;
          },
          call: (request, asker) => this.#take(request, asker),
          close: async () => undefined,
        },
        clock,
        observe: (outcome) => observed.push(`${name} ${outcome}`),
        events: {
          advanced: () => undefined,
          changed: () => undefined,
          answering: () => undefined,
          broke: () => undefined,
          asked: () => undefined,
        },
      },
    );
    this.upstream.chain = "right";
    this.upstream.head = 100;
  }

  #take(request: UpstreamRequest, asker: Asker) {
    this.asked.push({ request, asker });
    const answer = this.reply(request);
    if (answer !== undefined) asker.answered(answer);
    return { cancel: () => undefined };
  }

  get params(): string[] {
    return this.asked.map(({ request }) => request.params);
  }

  answer(params: string, answer: UpstreamAnswer): void {
    const found = this.asked.find(({ request }) => request.params === params);
    if (found === undefined) throw new Error(`${params} was not asked`);
    found.asker.answered(answer);
  }
}

const NEED: RoutedNeed = {
  ...{ method: "eth_getBalance", block: 100, strict: false, depth: 0, head: 100, slack: 5 },
  ...{ lookup: false, exists: false, future: false, answerBlock: undefined, partner: false },
};

const routerOf = (...nodes: Node[]): Router =>
  new Router(
    { hedgeShare: 1 },
    {
      upstreams: nodes.map(({ upstream }) => upstream),
      clock,
      timers: {
        set: (delayMs, due) => {
          pending += 1;
          return timers.set(delayMs, due);
        },
        clear: (timer) => {
          pending -= 1;
          timers.clear(timer);
        },
      },
      random: () => 0.25,
      askCaps: (_timeoutMs, done) => done(false),
      observer: {
        hedged: (slow, outcome) => observed.push(`beside ${slow} ${outcome}`),
        retried: () => observed.push("retried"),
        partner: () => undefined,
        contradicted: () => undefined,
      },
      verify: (upstream, _timeoutMs, done) => {
        observed.push(`${upstream.name} verified`);
        upstream.chain = "right";
        done();
      },
      seen: (upstream, block) => {
        upstream.head = block;
      },
    },
  );

type Call = { readonly params: string; readonly need?: RoutedNeed; readonly deadlineMs?: number };

/** Asks for these together; what came of each is put down as it comes. */
function ask(router: Router, calls: readonly Call[]) {
  const outcomes = new Map<string, FetchOutcome>();
  const done = (params: string) => (outcome: FetchOutcome) => {
    expect(outcomes.has(params)).toBe(false);
    outcomes.set(params, outcome);
  };
  const common = { need: NEED, deadlineMs: now + 8000 };
  const requests: RoutedRequest[] = calls.map((call) => ({
    ...common,
    ...call,
    done: done(call.params),
  }));
  router.together(() => {
    for (const request of requests) router.fetch(request);
    expect(outcomes.size).toBe(0);
  });
  return outcomes;
}
const named = (count: number): Call[] =>
  Array.from({ length: count }, (_, index) => ({ params: `[${index}]` }));
const kinds = (outcomes: ReadonlyMap<string, FetchOutcome>) =>
  [...outcomes].map(([params, { kind }]) => `${params} ${kind}`);

describe("calls that come together and need the same", () => {
  test("are each asked once, of one node for so many, and get their own result", () => {
    const [a, b] = [new Node("a"), new Node("b", { index: 1 })];
    const count = 2 * MOST_OF_VOLLEY + 1;
    const outcomes = ask(routerOf(a, b), named(count));
    expect([...a.params, ...b.params].toSorted()).toEqual(
      named(count)
        .map(({ params }) => params)
        .toSorted(),
    );
    expect(Math.min(a.asked.length, b.asked.length)).toBe(MOST_OF_VOLLEY);
    expect(a.upstream.inFlight + b.upstream.inFlight).toBe(count);
    for (const { upstream, asked } of [a, b]) {
      for (const { request, asker } of asked.toReversed()) {
        asker.answered({ kind: "result", result: [`"${request.params}"`] });
      }
      expect(upstream.inFlight).toBe(0);
    }
    expect(outcomes.size).toBe(count);
    for (const [params, outcome] of outcomes) {
      expect(outcome).toMatchObject({ kind: "result", result: [`"${params}"`] });
    }
    expect(observed.filter((each) => each.endsWith(" ok"))).toHaveLength(count);
  });

  test("are sent when all have come; one that comes alone is sent at once", () => {
    const node = new Node("a");
    const router = routerOf(node);
    const request = { need: NEED, deadlineMs: 9000, done: () => undefined };
    router.together(() => {
      router.fetch({ ...request, params: "[1]" });
      router.fetch({ ...request, params: "[2]" });
      expect(node.asked).toEqual([]);
    });
    expect(node.params).toEqual(["[1]", "[2]"]);
    router.fetch({ ...request, params: "[3]" });
    expect(node.params).toEqual(["[1]", "[2]", "[3]"]);
  });

  test("have half of the time where another node could be asked, and all of it where none could", () => {
    const [a, b] = [new Node("a"), new Node("b", { index: 1 })];
    ask(routerOf(a, b), named(2));
    const alone = new Node("alone");
    ask(routerOf(alone), named(2));
    const timeouts = [...a.asked, ...b.asked, ...alone.asked].map(
      ({ request }) => request.timeoutMs,
    );
    expect(timeouts).toEqual([4000, 4000, 8000, 8000]);
  });

  test("show that a node has the block", () => {
    const node = new Node("a");
    node.upstream.head = 100;
    const need = { ...NEED, block: 100 };
    const outcomes = ask(
      routerOf(node),
      named(2).map((call) => ({ ...call, need })),
    );
    node.upstream.head = 90;
    node.answer("[0]", good);
    expect(node.upstream.head).toBe(100);
    expect(kinds(outcomes)).toEqual(["[0] result"]);
  });
});

describe("what is not alike goes by itself", () => {
  test("another need: it is asked of a node that fits it", () => {
    const [a, b] = [new Node("a"), new Node("b", { index: 1 })];
    b.upstream.head = 200;
    b.upstream.latency.record(1000);
    a.upstream.latency.record(1);
    const [first, second, third] = named(3) as [Call, Call, Call];
    ask(routerOf(a, b), [first, { ...second, need: { ...NEED, block: 200 } }, third]);
    expect([a.params, b.params]).toEqual([["[0]", "[2]"], ["[1]"]]);
  });

  test("another deadline: it has its own time", () => {
    const node = new Node("a");
    const [first, second, third] = named(3) as [Call, Call, Call];
    ask(routerOf(node), [first, { ...second, deadlineMs: 9001 }, third]);
    expect(node.asked.map(({ request }) => request.timeoutMs)).toEqual([8000, 8001, 8000]);
  });

  test("and without time nobody is asked", () => {
    const node = new Node("a");
    const late = named(2).map((call) => ({ ...call, deadlineMs: now + 10 }));
    expect(kinds(ask(routerOf(node), late))).toEqual(["[0] exhausted", "[1] exhausted"]);
    expect(node.asked).toEqual([]);
  });
});

describe("a call without a result goes on by itself", () => {
  test.each<[string, UpstreamAnswer, string]>([
    ["a page", page, "result"],
    ["a reset", reset, "result"],
    ["a timeout", { kind: "timeout" }, "result"],
    ["a revert", revert, "failure"],
    ["more than there may be", { kind: "too_large" }, "too_large"],
  ])("after %s", (_name, answer, kind) => {
    const [a, b] = [new Node("a"), new Node("b", { index: 1 })];
    a.upstream.latency.record(1);
    b.upstream.latency.record(1000);
    b.reply = () => good;
    const outcomes = ask(routerOf(a, b), named(3));
    expect(a.asked).toHaveLength(3);
    a.answer("[1]", answer);
    expect(b.params).toEqual(kind === "result" ? ["[1]"] : []);
    a.answer("[0]", good);
    a.answer("[2]", good);
    expect(kinds(outcomes)).toEqual([`[1] ${kind}`, "[0] result", "[2] result"]);
    expect(a.upstream.inFlight + b.upstream.inFlight).toBe(0);
    expect(observed.filter((each) => each === "retried")).toHaveLength(kind === "result" ? 1 : 0);
  });

  test("null is given once a second node says so, too", () => {
    const [a, b] = [new Node("a"), new Node("b", { index: 1 })];
    a.upstream.latency.record(1);
    b.upstream.latency.record(1000);
    const need = { ...NEED, method: "eth_getTransactionReceipt", lookup: true, block: -1 };
    const outcomes = ask(
      routerOf(a, b),
      named(2).map((call) => ({ ...call, need })),
    );
    a.answer("[0]", nothing);
    a.answer("[1]", good);
    expect(kinds(outcomes)).toEqual(["[1] result"]);
    b.answer("[0]", nothing);
    expect(outcomes.get("[0]")).toMatchObject({ kind: "result", result: ["null"] });
  });
});

describe("calls that take long", () => {
  const slow = () => {
    const [a, b] = [new Node("a"), new Node("b", { index: 1 })];
    const router = routerOf(a, b);
    a.upstream.latency.record(1);
    b.upstream.latency.record(1000);
    a.reply = () => good;
    // Until it is known how long most calls take.
    for (let turn = 0; turn < 40; turn += 1) ask(router, [{ params: `[-${turn}]` }]);
    a.reply = () => undefined;
    a.asked.length = 0;
    observed.length = 0;
    return { a, b, router };
  };

  test("are each asked of another node, too, but for those that were answered", () => {
    const { a, b, router } = slow();
    const outcomes = ask(router, named(3));
    expect(a.asked).toHaveLength(3);
    a.answer("[1]", good);
    passes(100);
    expect(b.params).toEqual(["[0]", "[2]"]);
    b.answer("[0]", good);
    a.answer("[2]", good);
    expect(kinds(outcomes)).toEqual(["[1] result", "[0] result", "[2] result"]);
    expect(observed).toContain("beside a won");
    expect(observed).toContain("beside a lost");
  });

  test("are asked of nobody else once all are answered", () => {
    const { a, b, router } = slow();
    const before = pending;
    ask(router, named(3));
    expect(pending).toBe(before + 1);
    for (const { asker } of a.asked) asker.answered(good);
    expect(pending).toBe(before);
    passes(1000);
    expect(b.asked).toEqual([]);
  });
});

describe("a node that is not simply well", () => {
  test("gets one call to try it while its breaker is half open", () => {
    const node = new Node("a");
    const { breaker } = node.upstream;
    for (let fault = 0; fault < 5; fault += 1) breaker.failed();
    now = breaker.probeDueAtMs;
    breaker.probeStarted(now);
    breaker.probeSucceeded();
    const other = new Node("b", { index: 1 });
    other.reply = () => good;
    const outcomes = ask(routerOf(node, other), named(8));
    expect(node.asked.length).toBeLessThanOrEqual(1);
    for (const { asker } of node.asked) asker.answered(good);
    expect(outcomes.size).toBe(8);
  });

  test("gets no more calls in a second than its limit while another is there", () => {
    const node = new Node("a", { requestsPerSecond: 5 });
    const other = new Node("b", { index: 1 });
    other.upstream.latency.record(1000);
    node.upstream.latency.record(1);
    ask(routerOf(node, other), named(40));
    // One of its five is for the gateway's own questions.
    expect(node.asked.length).toBe(4);
    expect(other.asked.length).toBe(36);
  });

  test("is checked before it is asked where nobody knows its chain", () => {
    const node = new Node("a");
    node.isConnected = false;
    node.reply = () => good;
    const outcomes = ask(routerOf(node), named(2));
    expect(observed[0]).toBe("a verified");
    expect(outcomes.size).toBe(2);
  });

  test("that is drained is not asked", () => {
    const node = new Node("a");
    node.upstream.drained = true;
    expect(kinds(ask(routerOf(node), named(2)))).toEqual(["[0] exhausted", "[1] exhausted"]);
    expect(node.asked).toEqual([]);
  });
});

test("together or one by one, calls come to the same", () => {
  const answers = fc.constantFrom(good, page, reset, revert, { kind: "timeout" } as const);
  const script = fc.array(fc.tuple(answers, answers), { minLength: 2, maxLength: 40 });
  const outcomesOf = (rows: readonly (readonly UpstreamAnswer[])[], isTogether: boolean) => {
    now = 1000;
    timers = new TimerWheel(timed({ monotonic: () => now }));
    const nodes = [new Node("a"), new Node("b", { index: 1 })];
    for (const [index, node] of nodes.entries()) {
      // What a node says of a call does not depend on who is asked first.
      node.reply = ({ params }) => {
        const row = rows[Number(params.slice(1, -1))] ?? [];
        return row.includes(revert) ? revert : row[index];
      };
    }
    const router = routerOf(...(nodes as [Node, Node]));
    const calls = named(rows.length);
    const outcomes = isTogether
      ? ask(router, calls)
      : new Map(calls.flatMap((call) => [...ask(router, [call])]));
    expect(nodes.every(({ upstream }) => upstream.inFlight === 0)).toBe(true);
    return [...outcomes].map(([params, { kind }]) => `${params} ${kind}`).toSorted();
  };
  fc.assert(
    fc.property(script, (rows) => {
      expect(outcomesOf(rows, true)).toEqual(outcomesOf(rows, false));
    }),
    { numRuns: 500 },
  );
});
