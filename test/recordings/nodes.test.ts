import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lookUp } from "../../src/methods/registry.ts";
import { changes, sourceOf, unlisted, unused } from "./differences.ts";
import { documented, parsed, type Wanted } from "./documented.ts";
import { RecordedClasses, readCorpus } from "./failure-classes.ts";
import { NODES, type RecordedCall, readLines, SKIPPED, select } from "./recorded-calls.ts";
import { type Given, type Rig, replayed, startRig } from "./rig.ts";

const choice = { finalTotalDifficulty: "0xc70d815d562d3cfa955" };

type Replay = {
  readonly call: RecordedCall;
  readonly wanted: Wanted;
  readonly given: Given;
  /** The methods that the node was asked for. */
  readonly asked: readonly string[];
};

/** Every recorded call, made once more through the gateway, the node saying what it said then. */
async function replayAll(rig: Rig): Promise<Replay[]> {
  const classes = new RecordedClasses(readCorpus());
  const strictest = new Map(readLines("geth").map((line) => [line.case, line.response?.error]));
  const replays: Replay[] = [];
  for (const name of NODES) {
    const [node] = rig.nodes[name] ?? [];
    for (const call of select(name).calls) {
      if (node) node.reply = (request) => replayed(call.answer, request);
      const message = JSON.stringify(call.request);
      const { asked, ...given } = await rig.send(name, message, call.transport);
      const wanted = documented(call, strictest.get(call.name), { classes, choice });
      const methods = asked.flatMap((requests) => requests.map(({ method }) => method));
      replays.push({ call, wanted, given, asked: methods });
    }
  }
  return replays;
}

/** What the client ought to have got and what it got, where these differ. */
function fault({ call, wanted, given, asked }: Replay): object | undefined {
  const { status, json } = given;
  const { id, method } = call.request;
  const got = json.error === undefined ? { result: json.result } : { error: json.error };
  const whole = { id: json.id, status, asked, ...got };
  const expected =
    wanted.kind === "refused"
      ? { id, status: 200, asked: [], error: { code: -32602, message: refusal(wanted.text) } }
      : wanted.kind === "own"
        ? { id, status: 200, asked: [], result: wanted.result }
        : { id, status: wanted.ending.status, asked: [method], ...wanted.ending.answer };
  try {
    expect(whole).toEqual(expected);
    return undefined;
  } catch {
    return { node: call.node, case: call.name, expected, whole };
  }
}

function refusal(text: string | RegExp): unknown {
  if (typeof text !== "string") return expect.stringMatching(text);
  return {
    asymmetricMatch: (message: string) => message === text || message.startsWith(`${text}; want `),
  };
}

function differencesOf({ call, wanted, given, asked }: Replay): string[] {
  const node = parsed(call.answer.body) ?? {};
  if (wanted.kind === "refused") return [`refused, not ${sourceOf(node)}`];
  const from = wanted.kind === "node" ? wanted.means : "the gateway's";
  const status = given.status === call.answer.status ? [] : [`HTTP status ${given.status}`];
  expect(asked.length).toBe(wanted.kind === "node" ? 1 : 0);
  return [...changes(node, given.json), ...status].map((change) => `${from}: ${change}`);
}

describe.skipIf(NODES.length === 0)("recorded nodes (needs ../shared/fixtures)", () => {
  let rig: Rig;
  let replays: Replay[] = [];
  beforeAll(async () => {
    rig = await startRig(Object.fromEntries(NODES.map((node) => [node, { options: choice }])));
    replays = await replayAll(rig);
  });
  afterAll(() => rig.stop());

  test("every line is replayed, of a method that is not served, or skipped for a reason", () => {
    const selections = NODES.map(select);
    expect(selections.flatMap(({ unexplained }) => unexplained)).toEqual([]);
    const used = new Set(selections.flatMap(({ skipped }) => [...skipped]));
    expect(SKIPPED.filter((row) => !used.has(row))).toEqual([]);
    expect(replays.length).toBeGreaterThan(2300);
  });

  test.each(NODES)("every call recorded of %s comes out as documented", (node) => {
    const own = replays.filter(({ call }) => call.node === node);
    expect(own.length).toBeGreaterThan(200);
    expect(own.map(fault).filter((each) => each !== undefined)).toEqual([]);
  });

  test("a result that needs no change travels as the node's own bytes", () => {
    const same = replays.filter(
      (replay) =>
        replay.wanted.kind === "node" &&
        replay.wanted.means === "result" &&
        differencesOf(replay).length === 0,
    );
    expect(same.length).toBeGreaterThan(900);
    for (const { call, given } of same) {
      const result = JSON.stringify(parsed(call.answer.body)?.result);
      const id = JSON.stringify(call.request.id);
      expect(given.text, call.name).toBe(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    }
  });

  test("what differs from the node's own answer is listed with its reason, and nothing else is", () => {
    const found = replays.flatMap((replay) =>
      differencesOf(replay).map((change) => ({
        node: replay.call.node,
        name: replay.call.name,
        change,
      })),
    );
    expect(unlisted(found)).toEqual([]);
    expect(unused(found, NODES)).toEqual([]);
  });

  test.each(NODES)(
    "of %s the calls that design.md charges are charged, at their price",
    async (node) => {
      const charged = replays.filter(({ call, wanted }) => {
        const free =
          wanted.kind === "refused" || (wanted.kind === "node" && !wanted.ending.charged);
        return call.node === node && !free;
      });
      const credits = charged.map(({ call }) => lookUp(call.request.method)?.credits ?? Number.NaN);
      const sum = credits.reduce((total, each) => total + each, 0);
      expect(await rig.metric("tollgate_credits_total", `network="${node}"`)).toBe(sum);
    },
  );
});
