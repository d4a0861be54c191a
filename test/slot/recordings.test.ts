import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compact, parseExactly } from "./exact.ts";
import {
  agaveCalls,
  agaveLines,
  clientBodies,
  NO_CALLS,
  pairs,
  type Recording,
  wholeFiles,
} from "./recordings.ts";
import {
  callText,
  overWebSocket,
  post,
  resultText,
  type SlotRig,
  startSlotRig,
  TRANSPORTS,
} from "./rig.ts";

type Config = Readonly<Record<string, unknown>>;

/** What the gateway refuses although the node took it, or words otherwise: docs/decisions.md, "Slot networks". */
const OWN_REFUSALS: Readonly<Record<string, RegExp>> = {
  "commitment bogus": /^Invalid params: .* At commitment: unknown variant `bogus`/,
  "unknown key": /^Invalid params: .* unknown field `foo`/,
  "binary encoding": /^Invalid params: .* At encoding: unknown variant `binary`/,
};
/** What the gateway asks for instead of what the node refuses. */
const ASKED_INSTEAD: Readonly<Record<string, string>> = {
  "commitment processed": "commitment confirmed",
};
/** `finalized` where it is not said; the names of before 1.5 are sent as those of today. */
const COMMITMENTS: Readonly<Record<string, string>> = {
  processed: "confirmed",
  recent: "confirmed",
  single: "confirmed",
  max: "finalized",
  root: "finalized",
};

/** The config of a getBlock call, however it was written. */
function configOf({ params }: Recording): Config {
  const [, config] = JSON.parse(params ?? "[]");
  return typeof config === "string" ? { encoding: config } : (config ?? {});
}

/** The params that a node has to be sent for a getBlock call: complete, in one order. */
function canonical(recording: Recording): string {
  const given = configOf(recording);
  const [, slot] = /^\[\s*(\d+)/.exec(recording.params ?? "") ?? [];
  const commitment = String(given["commitment"] ?? "finalized");
  const config = {
    commitment: COMMITMENTS[commitment] ?? commitment,
    encoding: given["encoding"] ?? "json",
    maxSupportedTransactionVersion: given["maxSupportedTransactionVersion"],
    rewards: given["rewards"] ?? false,
    transactionDetails: given["transactionDetails"] ?? "full",
  };
  return `[${slot},${JSON.stringify(config)}]`;
}

/** The node's result as the client has to get it; `touched`: something had to be taken out. */
function documentedResult(recording: Recording): { text: string; touched: boolean } {
  const { method, result = "" } = recording;
  const untouched = { text: result, touched: false };
  if (method !== "getBlock" || configOf(recording)["rewards"] === true) return untouched;
  const block = parseExactly(result) as Record<string, unknown>;
  if (!("rewards" in block)) return untouched;
  delete block["rewards"];
  return { text: JSON.stringify(block), touched: true };
}

const messageOf = ({ method, params }: Recording): string =>
  params === undefined ? `{"jsonrpc":"2.0","id":1,"method":"${method}"}` : callText(method, params);

describe("recorded answers of nodes", () => {
  const recorded = new Map(agaveCalls().map((call) => [call.name, call]));
  let agave: SlotRig;
  let others: SlotRig;

  beforeAll(async () => {
    const genesisHash = JSON.parse(recorded.get("companion getGenesisHash")?.result ?? "");
    agave = await startSlotRig({ head: 73, genesisHash });
    others = await startSlotRig({ head: 250_000_000 });
  });
  afterAll(async () => {
    await agave?.stop();
    await others?.stop();
  });

  /** The call made again, its node saying what it said then. */
  async function replay(rig: SlotRig, recording: Recording, transport: "HTTP" | "WebSocket") {
    const [node] = rig.nodes;
    if (node === undefined) throw new Error("no node");
    const { result, error } = recording;
    node.reply = () =>
      result === undefined ? { error: JSON.parse(error ?? "{}") } : { resultText: result };
    const send = transport === "HTTP" ? post : overWebSocket;
    const url = transport === "HTTP" ? rig.gateway.http() : rig.gateway.ws();
    const before = node.requests.length;
    const given = await send(url, messageOf(recording));
    return { given, asked: node.requests.slice(before) };
  }

  async function isAsDocumented(
    rig: SlotRig,
    recording: Recording,
    transport: "HTTP" | "WebSocket",
  ) {
    const { given, asked } = await replay(rig, recording, transport);
    const error = recording.error === undefined ? undefined : JSON.parse(recording.error);
    const own = OWN_REFUSALS[recording.name];
    expect(given.status).toBe(200);
    expect(given.json.id).toBe(1);
    if (own !== undefined || error?.code === -32602) {
      expect(asked).toEqual([]);
      expect(given.json.error?.code).toBe(-32602);
      if (own !== undefined) expect(given.json.error?.message).toMatch(own);
      else expect(given.json.error?.message.startsWith(error.message)).toBe(true);
      return;
    }
    if (recording.method === "getBlock") {
      const [request, ...more] = asked;
      expect(more).toEqual([]);
      expect(request?.text).toMatch(/"method":"getBlock"/);
      expect(request?.text).toContain(`"params":${canonical(recording)}`);
    }
    if (error?.code === -32004) expect(resultText(given)).toBe("null");
    else if (error !== undefined) expect(given.json.error).toEqual(error);
    else {
      const { text, touched } = documentedResult(recording);
      const got = resultText(given);
      expect(touched ? compact(got) : got).toBe(text);
    }
  }

  const agaveReplays = [...recorded.values()].map((call) => {
    const instead = recorded.get(ASKED_INSTEAD[call.name] ?? "");
    if (instead === undefined) return call;
    const { result } = instead;
    const { name, method, params } = call;
    return { name, method, params, ...(result !== undefined && { result }) };
  });

  test("every line of agave.jsonl is a call that is replayed, or listed as none", () => {
    const lines = agaveLines().map((line) => line.case);
    expect(new Set(lines).size).toBe(lines.length);
    expect(Object.keys(NO_CALLS).filter((name) => !lines.includes(name))).toEqual([]);
    expect(agaveReplays).toHaveLength(lines.length - Object.keys(NO_CALLS).length);
    expect(agaveReplays.length).toBeGreaterThan(280);
  });

  describe.each(TRANSPORTS)("over %s", (transport) => {
    test.each(agaveReplays.map((call) => [call.name, call] as const))("agave: %s", (_, call) =>
      isAsDocumented(agave, call, transport),
    );

    test.each([...wholeFiles(), ...pairs()].map((call) => [call.name, call] as const))(
      "%s",
      (_, call) => isAsDocumented(others, call, transport),
    );
  });

  test("integers beyond 2^53 come out as they went in", async () => {
    const inMeta = /"(?:pre|post)Balances":\[(?:\d+,)*\d{17,}/;
    const big = agaveReplays.filter(({ name, result = "" }) => {
      return inMeta.test(result) && OWN_REFUSALS[name] === undefined;
    });
    expect(big.length).toBeGreaterThan(100);
    const balances = (text = "") => text.match(/"(?:pre|post)Balances":\[[\d,]*\]/g);
    for (const call of big) {
      const { given } = await replay(agave, call, "HTTP");
      expect(balances(given.text), call.name).toEqual(balances(call.result));
    }
  });

  test("the slot 2^64-1 is sent to the node with every digit", async () => {
    const call = recorded.get("slot 2^64-1");
    if (call === undefined) throw new Error("not recorded");
    const { asked } = await replay(agave, call, "HTTP");
    expect(asked[0]?.text).toContain('"params":[18446744073709551615,{');
  });

  test("a parent that was cleaned up is 32 times the digit 1, whatever the node says of it", async () => {
    const [file] = wholeFiles().filter(({ name }) => name.startsWith("chainstorage"));
    const given = '"previousBlockhash": "11111111111111111111111111111111"';
    expect(file?.result).toContain(given);
    for (const said of ['"previousBlockhash": null', '"previousBlockhash": ""', '"other": 1']) {
      const edited = { ...file, result: file?.result?.replace(given, said) } as Recording;
      const { given: answer } = await replay(others, edited, "HTTP");
      expect((answer.json.result as Config)["previousBlockhash"]).toBe("1".repeat(32));
    }
  });

  test("what web3.js and kit once sent to a node is taken, and reaches it complete", async () => {
    const bodies = clientBodies();
    expect(bodies.length).toBeGreaterThan(15);
    const [node] = agave.nodes;
    if (node === undefined) throw new Error("no node");
    node.reply = () => ({ result: { blockhash: "h" } });
    for (const body of bodies) {
      const before = node.requests.length;
      const { json } = await post(agave.gateway.http(), body);
      const call = JSON.parse(body);
      expect(json.id).toEqual(call.id);
      expect(json.error).toBeUndefined();
      const params = canonical({
        name: "",
        method: call.method,
        params: JSON.stringify(call.params),
      });
      expect(node.requests.slice(before).map(({ text }) => text)).toEqual([
        expect.stringContaining(`"params":${params}`),
      ]);
    }
  });
});
