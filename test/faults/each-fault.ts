import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import type { FaultProxy } from "../support/fault-proxy.ts";
import { type Fault, NONE } from "../support/faults.ts";
import { type GatewayRig, type RigNetwork, startGatewayRig } from "../support/gateway-rig.ts";
import { type KnownAnswer, knownOfNodes } from "../support/known-answers.ts";
import { type LoadReport, runLoad } from "../support/traffic.ts";
import { expectRight, troublesShown } from "./troubles.ts";

/** What can be known of the two nodes when the fault begins. */
type Moment = { readonly head: number; readonly healthy: FaultProxy };
type Trial = {
  readonly name: string;
  readonly fault: (moment: Moment) => Fault;
  /** Blocks that come once the fault has begun: it would not show without. */
  readonly blocks?: number;
  /** Of two forks the first upstream's is right: there this fault sits at the second. */
  readonly at?: "b";
};

const trial = (name: string, fault: Fault): Trial => ({ name, fault: () => fault });
const BLOCKS = 3;

/** Each of them alone, at one of two upstreams. */
const TRIALS: readonly Trial[] = [
  trial("latency of 2 s", { kind: "latency", ms: 2000 }),
  trial("reset before the head", { kind: "reset", when: "before headers" }),
  trial("reset after the head", { kind: "reset", when: "after headers" }),
  trial("half-open", { kind: "half-open" }),
  trial("hang", { kind: "hang" }),
  trial("garbage", { kind: "garbage" }),
  trial("shorter than announced", { kind: "truncated", by: "length" }),
  trial("cut off in a chunk", { kind: "truncated", by: "chunks" }),
  trial("wrong id", { kind: "wrong-id" }),
  trial("429", { kind: "status", status: 429 }),
  trial("429 with Retry-After", { kind: "status", status: 429, retryAfter: "2" }),
  trial("500", { kind: "status", status: 500 }),
  trial("503 with HTML", { kind: "unavailable-page" }),
  trial("slow drip", { kind: "drip", everyMs: 200 }),
  { name: "stale head", fault: () => ({ kind: "stale" }), blocks: BLOCKS },
  {
    name: "forked head",
    fault: ({ head }) => ({ kind: "forked", from: head + 1 }),
    blocks: BLOCKS,
    at: "b",
  },
  {
    name: "null for all but what the other has shown",
    fault: ({ healthy }) => ({ kind: "nulls", except: healthy.shown }),
    blocks: BLOCKS,
  },
  { name: "another chain after a restart", fault: () => ({ kind: "other-chain", chainId: 1 }) },
];

/**
 * A call to a slow node is asked of the other one after the network's own p95, some milliseconds
 * here, and has its answer as fast again. The rest is room for a busy machine: every slow fault,
 * and half of the deadline, is far above.
 */
const HEDGED_MS = 500;
/** Polls of a chain whose blocks come at odd times are two block times apart, 15 s here. */
const HEAD_MS = 32_000;
const RECOVERY_MS = 10_000;

/** What is mined stays as it is, whatever comes later. */
const isSettled = ({ method, answer }: KnownAnswer): boolean =>
  /Hash|Receipt/.test(method) && /"blockHash":"0x|"parentHash"/.test(JSON.stringify(answer));

/** Asked by the gateway itself: they do not show that a node serves clients again. */
const OWN =
  /^(?:eth_chainId|net_version|eth_blockNumber|eth_getBlockBy(?:Number|Hash)|eth_subscribe)$/;
/** So many times are enough for the network to know its own p95. */
const WARM_UP_CALLS = 60;
const isOfClient = (method: string): boolean => !OWN.test(method);

type Options = {
  /** To the network while its node has the fault. */
  readonly calls: number;
  /** How the upstreams are configured, by the number of the trial. */
  readonly webSocket: (index: number) => boolean;
  /** How much longer than on a quiet machine an answer may take. */
  readonly slack?: number;
};

export function describeEachFault({ calls, webSocket, slack = 1 }: Options): void {
  let pair: ChainPair;
  let rig: GatewayRig;
  let pendingHash: string;
  const recoveries = new Map<Trial, Promise<number>>();

  beforeAll(async () => {
    pair = await startChainPair();
    const networks = TRIALS.map((_, index) => ({
      name: `net-${index}`,
      webSocket: webSocket(index),
    }));
    const network = { chainId: 31_337 };
    rig = await startGatewayRig({ nodes: pair.nodes, networks, network });
    pendingHash = await pair.leaveWaiting();
  });
  afterAll(async () => {
    await Promise.allSettled(recoveries.values());
    await rig?.stop();
    await pair?.stop();
  });

  const knownAt = new Map<number, readonly KnownAnswer[]>();
  const knownNow = async () => {
    const urls = pair.nodes.map(({ url }) => url);
    const head = pair.head();
    const known =
      knownAt.get(head) ?? (await knownOfNodes(urls, { samples: pair.samples, pendingHash }));
    knownAt.set(head, known);
    return known;
  };

  async function run(each: Trial, network: RigNetwork): Promise<LoadReport> {
    const { upstream, faulty, healthy } = partsOf(each, network);
    const before = await knownNow();
    // Nobody has asked this network of late: it looks at its nodes seldom then.
    await reached(network, pair.head());
    expectRight(await runLoad({ ...network, known: before, calls: WARM_UP_CALLS, seed: 7 }));
    const quiet = await network.troubles(upstream);
    await faulty.set(each.fault({ head: pair.head(), healthy }));
    if (each.blocks !== undefined) {
      await pair.mine(each.blocks);
      await reached(network, pair.head());
    }
    const known = each.blocks === undefined ? before : await knownNow();
    const report = await runLoad({ ...network, known, calls });
    await troublesShown({
      ...{ network, upstream, quiet },
      load: async () => {
        if (each.blocks === undefined) return { ...network, known, calls };
        // What both nodes have answered by now shows nothing any more.
        await pair.mine(each.blocks);
        await reached(network, pair.head());
        return { ...network, known: await knownNow(), calls };
      },
    });
    await faulty.set(NONE);
    const recovery = recovered(network, faulty, known.filter(isSettled));
    recovery.catch(() => undefined);
    recoveries.set(each, recovery);
    return report;
  }

  describe.each(TRIALS.map((each, index) => [each.name, each, index] as const))(
    "%s",
    (_, each, index) => {
      test(`costs none of ${calls} calls its right answer, nor its time`, async () => {
        const network = rig.networks[index];
        if (network === undefined) throw new Error("no network");
        const report = await run(each, network);
        expectRight(report);
        expect(report.p99Ms, JSON.stringify(report)).toBeLessThanOrEqual(HEDGED_MS * slack);
      });
    },
  );

  test.each(TRIALS.map((each) => [each.name, each] as const))(
    "%s: the node is in use again within 10 s of its recovery",
    async (_, each) => {
      expect(await recoveries.get(each)).toBeLessThanOrEqual(RECOVERY_MS);
    },
  );
}

function partsOf({ at }: Trial, { proxies: [a, b] }: RigNetwork) {
  if (a === undefined || b === undefined) throw new Error("two proxies are needed");
  return at === "b"
    ? { upstream: "b", faulty: b, healthy: a }
    : { upstream: "a", faulty: a, healthy: b };
}

/** @throws where the gateway does not show this block in time */
async function reached(network: RigNetwork, head: number): Promise<void> {
  const hex = `0x${head.toString(16)}`;
  const known = [{ method: "eth_blockNumber", params: [], answer: { result: hex } }];
  const begun = performance.now();
  while ((await runLoad({ ...network, known, calls: 1 })).faults > 0) {
    if (performance.now() - begun > HEAD_MS) throw new Error(`${head} is not the head in time`);
    await setTimeout(20);
  }
}

/** Milliseconds until the node serves clients; the gateway is asked little, and answers right. */
async function recovered(
  network: RigNetwork,
  faulty: FaultProxy,
  known: readonly KnownAnswer[],
): Promise<number> {
  const begun = performance.now();
  const before = faulty.count(isOfClient);
  for (let seed = 0; ; seed += 1) {
    expectRight(await runLoad({ ...network, known, calls: 6, inAir: 2, seed }));
    const ms = performance.now() - begun;
    if (faulty.count(isOfClient) > before + 2 || ms > 1.5 * RECOVERY_MS) return ms;
    await setTimeout(100);
  }
}
