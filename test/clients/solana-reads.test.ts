import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { kitReads, type Read, type Subjects, web3Reads } from "../outside/slot-reads.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";

const SUBJECTS: Subjects = {
  owner: "8gfrbhNuxxcrVscdSafqfFdrVhdaUxPAhnAHpbx1Rogd",
  mint: "EiRKKW9xxrWMoqYUaDXGWTvux1azT2bkaPHi4DP6GUAK",
  program: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  blockhash: "AvGrBU66Lz4acbnCLcKzEyxpFetu5EQATfMpGMYGrxhp",
  signature:
    "3fXS2auUKYkSUwjxTcS2XkYQVRfkj55NRgjNgvSxKLfkoYiAr1g2gNLBYC3CviBncNh5WWXWzBJNt8YLP4igXkGL",
  wire: "AQABAgME",
};

const inContext = (value: unknown) => ({ context: { apiVersion: "3.0.14", slot: 73 }, value });
const account = {
  data: ["", "base64"],
  executable: false,
  lamports: 2_000_000_011,
  owner: SUBJECTS.program,
  rentEpoch: 0,
  space: 0,
};
const parsedAccount = {
  ...account,
  data: { parsed: { info: {}, type: "mint" }, program: "spl-token", space: 82 },
};
const keyed = { account, pubkey: SUBJECTS.owner };
const amount = { amount: "5", decimals: 6, uiAmount: 0.000005, uiAmountString: "0.000005" };

type Config = { readonly encoding?: string; readonly withContext?: boolean } | undefined;

/** A node's answers, in the form that was asked for. */
const ANSWERS: Readonly<Record<string, (config: Config) => unknown>> = {
  getAccountInfo: (config) =>
    inContext(config?.encoding === "jsonParsed" ? parsedAccount : account),
  getMultipleAccounts: (config) =>
    inContext(config?.encoding === "jsonParsed" ? [parsedAccount, null] : [account, null]),
  getBalance: () => inContext(2_000_000_011),
  getProgramAccounts: (config) => {
    const found = [
      config?.encoding === "jsonParsed" ? { ...keyed, account: parsedAccount } : keyed,
    ];
    return config?.withContext === true ? inContext(found) : found;
  },
  getTokenAccountsByOwner: (config) =>
    inContext([config?.encoding === "jsonParsed" ? { ...keyed, account: parsedAccount } : keyed]),
  getTokenAccountBalance: () => inContext(amount),
  getTokenSupply: () => inContext(amount),
  getLatestBlockhash: () => inContext({ blockhash: SUBJECTS.blockhash, lastValidBlockHeight: 223 }),
  isBlockhashValid: () => inContext(true),
  getFeeForMessage: () => inContext(5000),
  getMinimumBalanceForRentExemption: () => 2_039_280,
  getEpochInfo: () => ({
    ...{ absoluteSlot: 73, blockHeight: 73, epoch: 0, slotIndex: 73 },
    ...{ slotsInEpoch: 432_000, transactionCount: 129 },
  }),
  getHealth: () => "ok",
  getRecentPrioritizationFees: () => [{ prioritizationFee: 0, slot: 70 }],
  getSignaturesForAddress: () => [
    {
      ...{ blockTime: 1, confirmationStatus: "finalized", err: null, memo: null },
      ...{ signature: SUBJECTS.signature, slot: 5 },
    },
  ],
  simulateTransaction: () =>
    inContext({
      ...{ accounts: [account], err: null, innerInstructions: null, logs: [] },
      ...{ returnData: null, unitsConsumed: 150 },
    }),
  getBlocksWithLimit: () => [5, 6, 7],
  getSignatureStatuses: () => inContext([null]),
};

let node: StandInNode;
let gateway: TestGateway;
/** What the client sent. */
let sent: { method: string; params?: unknown[] }[] = [];

beforeAll(async () => {
  node = await startStandInNode(({ method, params }) => {
    const config = params.at(-1);
    return { result: ANSWERS[method]?.(config as Config) };
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
  ["kit", (url) => kitReads(url, SUBJECTS)],
  ["web3.js", (url) => web3Reads(url, SUBJECTS)],
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
