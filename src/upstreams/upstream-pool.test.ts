import { beforeEach, describe, expect, test } from "vitest";
import type { HttpUpstream, UpstreamRequest } from "./http-upstream.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";
import { type FetchOutcome, UpstreamPool } from "./upstream-pool.ts";

let now: number;
/** What was asked of whom, and how much time it was given. */
let asked: { name: string; timeoutMs: number }[];
let observed: string[];

beforeEach(() => {
  now = 1000;
  asked = [];
  observed = [];
});

type Reply = UpstreamAnswer | { readonly after: number; readonly answer: UpstreamAnswer };

/** An upstream that gives these answers one after another, each after some time. */
function upstream(name: string, ...replies: Reply[]): HttpUpstream {
  const left = [...replies];
  const call = ({ timeoutMs }: UpstreamRequest, done: (answer: UpstreamAnswer) => void) => {
    asked.push({ name, timeoutMs });
    const reply = left.shift() ?? replies.at(-1);
    if (reply === undefined) throw new Error("nothing to say");
    const { after, answer } = "after" in reply ? reply : { after: 1, answer: reply };
    now += Math.min(after, timeoutMs);
    done(after >= timeoutMs ? { kind: "timeout" } : answer);
  };
  return { name, call, close: async () => undefined } as unknown as HttpUpstream;
}

const fetch = (upstreams: HttpUpstream[], method = "eth_getBalance"): FetchOutcome => {
  const pool = new UpstreamPool(upstreams, {
    clock: { now: () => now, monotonic: () => now },
    observe: (name, outcome) => observed.push(`${name} ${outcome}`),
  });
  const outcomes: FetchOutcome[] = [];
  pool.fetch({ method, params: "[]", timeoutMs: 8000 }, (outcome) => outcomes.push(outcome));
  expect(outcomes).toHaveLength(1);
  return outcomes[0] as FetchOutcome;
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
    expect(fetch([upstream("a", good), upstream("b", result("2"))])).toEqual({
      ...good,
      upstream: "a",
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
    expect(fetch([upstream("a", failure), upstream("b", good)])).toEqual({
      ...good,
      upstream: "b",
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

  test("that is over is not waited for again", () => {
    const many = Array.from({ length: 20 }, (_, index) => upstream(`u${index}`, hangs));
    expect(fetch(many).kind).toBe("exhausted");
    expect(now - 1000).toBeLessThanOrEqual(8000);
    expect(names().length).toBeLessThan(12);
  });
});

describe("an upstream that is alone", () => {
  test("is asked once more where its connection broke", () => {
    expect(fetch([upstream("a", { after: 500, answer: reset }, good)])).toEqual({
      ...good,
      upstream: "a",
    });
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([8000, 7500]);
  });

  test("is not asked a third time", () => {
    const outcome = fetch([upstream("a", reset)]);
    expect(outcome).toEqual({ kind: "exhausted", internal: "a: ECONNRESET; a: ECONNRESET" });
    expect(names()).toEqual(["a", "a"]);
  });

  test.each([
    ["a page", page],
    ["a rate limit", limited],
    ["silence", hangs],
  ] as [string, Reply][])("is not asked again after %s", (_name, failure) => {
    expect(fetch([upstream("a", failure)]).kind).toBe("exhausted");
    expect(names()).toEqual(["a"]);
  });

  test("beside others is not asked again", () => {
    fetch([upstream("a", reset), upstream("b", page)]);
    expect(names()).toEqual(["a", "b"]);
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
