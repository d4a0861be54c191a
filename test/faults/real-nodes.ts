import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChainPair } from "../support/chain-pair.ts";
import { startDrivenPair } from "../support/engine-driver.ts";
import { startGanachePair } from "../support/ganache-node.ts";
import { type GatewayRig, type RigNetwork, startGatewayRig } from "../support/gateway-rig.ts";
import { type KnownAnswer, knownOfGateway, knownOfNodes } from "../support/known-answers.ts";
import { plainQuestions } from "../support/plain-chain.ts";
import type { RealNode } from "../support/real-node.ts";
import { runLoad } from "../support/traffic.ts";
import { expectRight, troublesShown } from "./troubles.ts";

/** Two nodes of one chain. */
type Pair = {
  readonly nodes: readonly RealNode[];
  /** Gives one that was started again, empty, what it had. */
  readonly seed: (node: RealNode) => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly known: (gatewayUrl: string) => Promise<readonly KnownAnswer[]>;
};

const KINDS = {
  anvil: async (): Promise<Pair> => {
    const pair = await startChainPair();
    const asked = { samples: pair.samples, pendingHash: await pair.leaveWaiting() };
    const urls = pair.nodes.map(({ url }) => url);
    // What waits to be mined is lost with the node that it waits at.
    const isMined = ({ params }: KnownAnswer) =>
      !params.includes("pending") && !params.includes(asked.pendingHash);
    return { ...pair, known: async () => (await knownOfNodes(urls, asked)).filter(isMined) };
  },
  ganache: async (): Promise<Pair> => withPlainAnswers(await startGanachePair()),
  "@ethereumjs/client": async (): Promise<Pair> => withPlainAnswers(await startDrivenPair()),
} as const;
export type Kind = keyof typeof KINDS;

function withPlainAnswers(pair: Omit<Pair, "known">): Pair {
  const [first] = pair.nodes;
  const known = async (gatewayUrl: string) =>
    knownOfGateway(gatewayUrl, await plainQuestions(first?.url ?? ""));
  return { ...pair, known };
}

export type Blow = "SIGKILL" | "SIGSTOP" | "an empty restart";

/** As for the proxies' faults: the network's own p95 and another answer, and a busy machine. */
const HEDGED_MS: Readonly<Record<Kind, number>> = {
  anvil: 500,
  // Slower nodes: each call costs them milliseconds of one core.
  ganache: 1000,
  "@ethereumjs/client": 1000,
};
const RECOVERY_MS = 10_000;
/** The load has begun, and has most of its way before it. */
const BLOW_AFTER_MS = 100;

type Options = {
  readonly kind: Kind;
  readonly blows: readonly Blow[];
  readonly calls: number;
  /** How much longer than on a quiet machine an answer may take. */
  readonly slack?: number;
};

export function describeRealNodes({ kind, blows, calls, slack = 1 }: Options): void {
  describe(`${kind} nodes`, () => {
    let pair: Pair;
    let rig: GatewayRig;
    let network: RigNetwork;
    let node: RealNode;
    let known: readonly KnownAnswer[];

    beforeAll(async () => {
      pair = await KINDS[kind]();
      rig = await startGatewayRig({ nodes: pair.nodes, direct: true });
      const [only, first] = [rig.networks[0], pair.nodes[0]];
      if (only === undefined || first === undefined) throw new Error("no network");
      [network, node] = [only, first];
      known = await pair.known(network.http);
      expectRight(await runLoad({ ...network, known, calls: 60, seed: 3 }));
    }, 120_000);
    afterAll(async () => {
      await rig?.stop();
      await pair?.stop();
    });

    /** A load into which the blow falls. */
    const under = async (blow: () => Promise<void>): Promise<void> => {
      const load = runLoad({ ...network, known, calls });
      await setTimeout(BLOW_AFTER_MS);
      await blow();
      const report = await load;
      expectRight(report);
      expect(report.p99Ms, JSON.stringify(report)).toBeLessThanOrEqual(HEDGED_MS[kind] * slack);
    };

    test.each(blows)(
      `%s of one costs none of ${calls} calls its right answer, and it is used again within 10 s`,
      async (blow) => {
        const quiet = await network.troubles("a");
        const load = async () => ({ ...network, known, calls });
        const showing = { network, upstream: "a", quiet, load };
        if (blow === "SIGSTOP") {
          await under(node.pause);
          await troublesShown(showing);
          node.resume();
        } else {
          await under(node.kill);
          await troublesShown(showing);
          if (blow === "an empty restart") await under(node.restart);
          else await node.restart();
          await pair.seed(node);
        }
        expect(await recovered(network, known)).toBeLessThanOrEqual(RECOVERY_MS);
      },
      120_000,
    );
  });
}

/** Calls of a load, of which a node in use gets its part: more than the gateway's own questions. */
const CALLS = 60;
const OWN_PART = 12;

/** Milliseconds until the first upstream answers its part of the calls, all of which are right. */
async function recovered(network: RigNetwork, known: readonly KnownAnswer[]): Promise<number> {
  const begun = performance.now();
  for (let seed = 0; ; seed += 1) {
    const before = await network.served("a");
    expectRight(await runLoad({ ...network, known, calls: CALLS, seed }));
    const ms = performance.now() - begun;
    if ((await network.served("a")) - before >= OWN_PART || ms > 1.5 * RECOVERY_MS) return ms;
    await setTimeout(100);
  }
}
