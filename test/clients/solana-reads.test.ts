import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { kitReads, type Read, web3Reads } from "../outside/slot-reads.ts";
import { kitValidatorReads, web3ValidatorReads } from "../outside/slot-validator-reads.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { SLOT_ANSWERS, SUBJECTS } from "./slot-answers.ts";

let node: StandInNode;
let gateway: TestGateway;
/** What the client sent. */
let sent: { method: string; params?: unknown[] }[] = [];

beforeAll(async () => {
  node = await startStandInNode(({ method, params }) => {
    const config = params.at(-1);
    return { result: SLOT_ANSWERS[method]?.(config) };
  });
  const upstreams = [{ name: "node", url: node.url }];
  gateway = await startTestGateway({ networks: [{ name: "slots", family: "slot", upstreams }] });
});
afterAll(async () => {
  await gateway?.stop();
  await node?.stop();
});

beforeEach(() => {
  sent = [];
  const send = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation((url, init) => {
    sent.push(JSON.parse(String(init?.body)));
    return send(url, init);
  });
});
afterEach(() => vi.restoreAllMocks());

const READS: readonly [string, (url: string) => Read[]][] = [
  ["kit", (url) => [...kitReads(url, SUBJECTS), ...kitValidatorReads(url, SUBJECTS)]],
  ["web3.js", (url) => [...web3Reads(url, SUBJECTS), ...web3ValidatorReads(url, SUBJECTS)]],
];

describe.each(READS)("%s", (_, readsOf) => {
  const count = readsOf("http://127.0.0.1:1").length;

  test.each(
    Array.from({ length: count }, (_each, index) => {
      const [name] = readsOf("http://127.0.0.1:1")[index] ?? [""];
      return [name, index] as const;
    }),
  )("has %s served, all that it sends reaching the node (%i)", async (name, index) => {
    const before = node.requests.length;
    const [, ask] = readsOf(gateway.http())[index] ?? [];
    expect(await ask?.()).toBeDefined();
    const asked = node.requests.slice(before);
    // web3.js asks for a blockhash by itself before it simulates what has to be signed.
    expect(asked.at(-1)?.method).toBe(name);
    expect(asked.map(({ method, params }) => ({ method, params }))).toEqual(
      sent.map(({ method, params = [] }) => ({ method, params })),
    );
  });
});
