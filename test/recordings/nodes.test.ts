import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FAMILIES } from "../../src/methods/families.ts";
import type { NodeRequest } from "../support/stand-in-node.ts";
import { changes, sourceOf, unlisted, unused } from "./differences.ts";
import { documented, parsed, type Wanted } from "./documented.ts";
import { RecordedClasses, readCorpus } from "./failure-classes.ts";
import {
  chainsOf,
  NODES,
  type RecordedCall,
  type RecordedChain,
  readLines,
  SKIPPED,
  select,
} from "./recorded-calls.ts";
import { type Given, type Rig, replayed, startRig } from "./rig.ts";

const choice = { finalTotalDifficulty: "0xc70d815d562d3cfa955" };

type Replay = {
  readonly call: RecordedCall;
  readonly wanted: Wanted;
  readonly given: Given;
  /** What the node was asked for it. */
  readonly asked: readonly NodeRequest[];
};

/** Every recorded call, made once more through the gateway, the node saying what it said then. */
async function replayAll(rig: Rig, chains: ReadonlyMap<string, RecordedChain>): Promise<Replay[]> {
  const classes = new RecordedClasses(readCorpus());
  const strictest = new Map(readLines("geth").map((line) => [line.case, line.response?.error]));
  const replays: Replay[] = [];
  for (const call of NODES.flatMap((name) => select(name).calls)) {
    const [node] = rig.nodes[call.network] ?? [];
    const chain = chains.get(call.network);
    if (node === undefined || chain === undefined) throw new Error(`no node ${call.network}`);
    node.reply = (request) => replayed(call.answer, request);
    const message = JSON.stringify(call.request);
    const { asked, ...given } = await rig.send(call.network, message, call.transport);
    const wanted = documented(call, strictest.get(call.name), { classes, choice, chain });
    replays.push({ call, wanted, given, asked: withoutTag(asked.flat(), call) });
  }
  return replays;
}

/** Once for each head the gateway itself asks what a tag means, where the node has none, in vain. */
function withoutTag(asked: readonly NodeRequest[], { request }: RecordedCall): NodeRequest[] {
  const [first, ...others] = asked;
  const isOwn =
    first?.method === "eth_getBlockByNumber" &&
    /^\["(safe|finalized)",false\]$/.test(JSON.stringify(first.params)) &&
    JSON.stringify(request.params).includes(`"${first.params[0]}"`);
  // The recorded node was not asked for the block that stands in for what it lacks.
  const instead = FAMILIES.evm.lookUp(request.method)?.instead?.definition.method;
  const own =
    first?.method === request.method ? others.filter((each) => each.method !== instead) : [];
  if (first !== undefined && own.length < others.length && instead !== undefined)
    return [first, ...own];
  return first !== undefined && isOwn && others.length > 0 ? others : [...asked];
}

/** What the client ought to have got and what it got, where these differ. */
function fault({ call, wanted, given, asked }: Replay): object | undefined {
  const { status, json } = given;
  const { id, method } = call.request;
  const got = json.error === undefined ? { result: json.result } : { error: json.error };
  const whole = { id: json.id, status, asked: asked.map((each) => each.method), ...got };
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

const argsOf = ({ params }: { readonly params?: unknown }): string => JSON.stringify(params) ?? "";

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

describe("recorded nodes", () => {
  let rig: Rig;
  let replays: Replay[] = [];
  beforeAll(async () => {
    const chains = new Map(NODES.flatMap((node) => [...chainsOf(node)]));
    const networks = [...chains].map(([name, chain]) => [name, { options: choice, chain }]);
    rig = await startRig(Object.fromEntries(networks));
    replays = await replayAll(rig, chains);
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

  test("no node is left to choose what latest and earliest mean", () => {
    const tagged = replays.filter(({ call }) => /"(latest|earliest)"/.test(argsOf(call.request)));
    const sent = replays.flatMap(({ asked }) => asked).map(argsOf);
    expect(tagged.length).toBeGreaterThan(900);
    expect(sent.filter((params) => /"(latest|earliest)"/.test(params))).toEqual([]);
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
    "of %s the calls that docs/decisions.md charges are charged, at their price",
    async (node) => {
      const charged = replays.filter(({ call, wanted }) => {
        const free =
          wanted.kind === "refused" || (wanted.kind === "node" && !wanted.ending.charged);
        return call.node === node && !free;
      });
      const credits = charged.map(
        ({ call }) => FAMILIES.evm.lookUp(call.request.method)?.credits ?? Number.NaN,
      );
      const sum = credits.reduce((total, each) => total + each, 0);
      const networks = [...chainsOf(node).keys()];
      const charges = networks.map((name) =>
        rig.metric("tollgate_credits_total", `network="${name}"`),
      );
      const total = (await Promise.all(charges)).reduce((whole, each) => whole + each, 0);
      expect(total).toBe(sum);
    },
  );
});
