import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StandInNode } from "../support/stand-in-node.ts";
import {
  type CorpusLine,
  type Ending,
  endingOf,
  NULL,
  passedOn,
  readCorpus,
  UNAVAILABLE,
} from "./failure-classes.ts";
import { type Given, type Recorded, type Rig, replayed, startRig } from "./rig.ts";

const CALL = { method: "eth_call", params: [{ to: `0x${"cf".repeat(20)}` }, "latest"] };
const LOOK_UP = { method: "eth_getTransactionReceipt", params: [`0x${"ab".repeat(32)}`] };
const OTHER_NODE = { result: "0x2a" };

const message = (call: typeof CALL | typeof LOOK_UP) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, ...call });

/**
 * docs/decisions.md, "Slot networks": a client gets these otherwise than of their class. (-32004 is
 * null of its class: getBlock is a look-up, the calls here are not.)
 */
const OF_GET_BLOCK: Readonly<Record<string, (line: CorpusLine) => Ending>> = {
  "-32001": () => NULL,
  "-32011": () => UNAVAILABLE,
  "-32014": () => UNAVAILABLE,
  "-32015": ({ error }) => passedOn(error ?? {}),
};

/** The line as the answer of a node, its id that of the request. */
function answerOf({ http_status: status, error, body, result }: CorpusLine): Recorded {
  if (body !== undefined) return { status, body };
  const said = result === undefined ? { error } : { result };
  return { status, body: JSON.stringify({ jsonrpc: "2.0", id: 0, ...said }) };
}

function wanted(line: CorpusLine, { method }: { readonly method: string }): Ending {
  const special = line.source === "Agave getBlock" && OF_GET_BLOCK[String(line.error?.code)];
  if (special) return special(line);
  const data = line.result === undefined ? undefined : { data: line.result };
  const error = line.error ?? { message: line.body?.trim(), ...data };
  const failure = { class: line.expect.class, reason: line.expect.reason, error };
  return endingOf(failure, { method, lookUp: method === LOOK_UP.method });
}

const given = ({ status, json }: Given) => ({
  status,
  answer: json.error === undefined ? { result: json.result } : { error: json.error },
});

/** A node in trouble is no second opinion: what says something against it comes last. */
const isTrouble = ({ expect: { class: name, counts_against_health: counts } }: CorpusLine) =>
  counts || name === "rate_limited" ? 1 : 0;

const lines = readCorpus().toSorted((a, b) => isTrouble(a) - isTrouble(b));
const CLASSES = [...new Set(lines.map((line) => line.expect.class))];

/** A node that lost the newest block is asked again until shortly before the deadline. */
const isAskedAgain = (name: string): boolean => name === "block_unknown";
const networkFor = (name: string, network: string): string =>
  isAskedAgain(name) ? `${network}-brief` : network;

describe("recorded failures", () => {
  let rig: Rig;
  beforeAll(async () => {
    // Each second request is one that a failure caused.
    const pair = { nodes: 2, options: { hedgeShare: 0 } };
    const brief = { timeoutMs: 300 };
    rig = await startRig({
      ...{ alone: {}, pair, alike: pair },
      ...{ "alone-brief": { options: brief } },
      ...{ "alike-brief": { nodes: 2, options: { ...pair.options, ...brief } } },
    });
  });
  afterAll(() => rig.stop());

  async function ask(network: string, line: CorpusLine, call: typeof CALL | typeof LOOK_UP) {
    let failed: StandInNode | undefined;
    for (const node of rig.nodes[network] ?? []) {
      // Whichever is asked first.
      node.reply = (request) => {
        failed ??= node;
        return node === failed ? replayed(answerOf(line), request) : OTHER_NODE;
      };
    }
    return rig.send(network, message(call));
  }

  test.each(CLASSES)(
    "%s: each line gives the client what its class says, at its price",
    async (name) => {
      const own = lines.filter((line) => line.expect.class === name);
      const network = networkFor(name, "alone");
      const label = `network="${network}"`;
      const asLabelled = () =>
        rig.metric("tollgate_upstream_calls_total", label, `outcome="${name}"`);
      const credits = () => rig.metric("tollgate_credits_total", label);
      const before = { classified: await asLabelled(), credits: await credits() };
      let charged = 0;
      for (const line of own) {
        const { charged: isCharged, ...ending } = wanted(line, CALL);
        expect(given(await ask(network, line, CALL)), JSON.stringify(line)).toEqual(ending);
        charged += isCharged ? 1 : 0;
      }
      const classified = (await asLabelled()) - before.classified;
      if (isAskedAgain(name)) expect(classified).toBeGreaterThanOrEqual(own.length * 2);
      else expect(classified).toBe(own.length);
      expect((await credits()) - before.credits).toBe(80 * charged);
    },
  );

  test.each(CLASSES)("%s: a look-up gets what the class says of look-ups", async (name) => {
    // A payload given as a result is a revert of eth_call alone.
    const own = lines.filter((line) => line.expect.class === name && line.result === undefined);
    for (const line of own) {
      const { charged: _, ...ending } = wanted(line, LOOK_UP);
      expect(given(await ask("alone", line, LOOK_UP)), JSON.stringify(line)).toEqual(ending);
    }
  });

  test("another node is asked where its answer may be better, and only there", async () => {
    for (const line of lines) {
      const { asked, ...got } = await ask("pair", line, CALL);
      const { charged: _, ...ending } = wanted(line, CALL);
      const answered = line.expect.retry_other ? { status: 200, answer: OTHER_NODE } : ending;
      const context = JSON.stringify(line);
      expect(given(got), context).toEqual(answered);
      const calls = asked.map((requests) => requests.length);
      expect(calls.toSorted(), context).toEqual([line.expect.retry_other ? 1 : 0, 1]);
    }
  });

  test("where every node fails alike, the client gets what one of them would give", async () => {
    for (const line of lines.filter(({ expect: { retry_other } }) => retry_other)) {
      const { class: name } = line.expect;
      const network = networkFor(name, "alike");
      for (const node of rig.nodes[network] ?? []) {
        node.reply = (request) => replayed(answerOf(line), request);
      }
      const { charged: _, ...ending } = wanted(line, CALL);
      const { asked, ...got } = await rig.send(network, message(CALL));
      const context = JSON.stringify(line);
      expect(given(got), context).toEqual(ending);
      const calls = asked.map((requests) => requests.length);
      if (isAskedAgain(name)) expect(Math.min(...calls), context).toBeGreaterThanOrEqual(2);
      else expect(calls, context).toEqual([1, 1]);
    }
  });
});
