import type { Identity } from "../../src/access/identity.ts";
import { MemoryCache } from "../../src/cache/memory-cache.ts";
import { parseConfig } from "../../src/config/load.ts";
import type { EvmNetworkConfig } from "../../src/config/network-schema.ts";
import type { Ledger, Reservation } from "../../src/credits/ledger.ts";
import { Call } from "../../src/gateway/call.ts";
import { Pipeline } from "../../src/gateway/pipeline.ts";
import { encode, type JsonValue } from "../../src/jsonrpc/value.ts";
import { type BuildParts, buildNetwork } from "../../src/networks/build-network.ts";
import type { EvmNetwork } from "../../src/networks/evm/evm-network.ts";
import type { PartnerStore } from "../../src/storage/store.ts";
import type { CallLog, Logger } from "../../src/telemetry/log.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { LargeBuffers } from "../../src/wire/bytes/large-buffers.ts";
import { noFilters } from "../support/no-filters.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { CHAIN_ID } from "./simulated-chain.ts";
import type { SimulatedNode } from "./simulated-node.ts";
import type { VirtualTime } from "./virtual-time.ts";

export type NetworkOptions = Pick<
  EvmNetworkConfig,
  "timeoutMs" | "confirmations" | "hedgeShare" | "window" | "chainId"
>;

export type GatewayOptions = NetworkOptions & {
  /** Calls of partners that the caps allow. */
  readonly partnerCap: number;
  /** Of a partner's store it takes so long to answer. */
  readonly storeMs: number;
};

export type Message = {
  readonly plan: "free" | "growth";
  readonly minBlock: number | undefined;
  /** More than one: a batch. */
  readonly calls: readonly {
    readonly method: string;
    readonly params: JsonValue[];
    readonly ended: (call: Call) => void;
  }[];
};

type Parts = {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly nodes: readonly SimulatedNode[];
};

const metrics = new Metrics().network("simulated");
export const silent = { info: ignore, warn: ignore, error: ignore, child: () => silent };
const NETWORK = { name: "simulated", family: "evm", upstreams: [{ name: "a", url: "http://a" }] };
const [BASE] = parseConfig(JSON.stringify({ networks: [NETWORK] }), {
  baseDir: "/",
  environment: {},
}).networks;

/** The real parts that a call goes through, from its check on, on simulated time and nodes. */
export class SimulatedGateway {
  readonly network: EvmNetwork;
  /** Calls of partners that were counted. */
  partnerCalls = 0;
  /** Of admitted calls. */
  settled = 0;
  readonly #pipeline: Pipeline;
  #made = 0;

  constructor(options: GatewayOptions, { time, random, nodes }: Parts) {
    this.network = simulatedNetwork(configOf(options, nodes), {
      buffers: new LargeBuffers(),
      ...{ clock: time.clock, timers: time, random: random.next },
      turnEnds: (run) => time.after(0, run),
      partners: this.#partnerStore(options, time),
      partnerCaps: () => ({}),
      connect: ({ name }, { onBroken }) => {
        const node = nodes.find((each) => each.options.name === name);
        if (node === undefined) throw new Error(`there is no node ${name}`);
        node.connection.onBroken = onBroken;
        return { transport: node.transport, heads: node.heads };
      },
    });
    this.#pipeline = new Pipeline({
      clock: time.clock,
      log: silent as unknown as CallLog,
      ledger: this.#ledger(),
      usage: { record: ignore, contract: ignore },
      mayFailOver: ({ plan }) => plan === "growth",
      usageOf: async () => "{}",
      filters: noFilters,
    });
  }

  /** One client's message; each of its calls is told of its end. */
  run({ plan, minBlock, calls }: Message): void {
    const session = {
      network: this.network,
      identity: { accountId: "a", keyId: "k", plan } as Identity,
      requestId: "r",
      minBlock: minBlock?.toString(),
    };
    const ends = new Map<Call, (call: Call) => void>();
    for (const { method, params, ended } of calls) {
      this.#made += 1;
      const asked = { id: String(this.#made), notification: false, method, params };
      const parsed = { ...asked, paramsText: encode(params), fault: undefined };
      ends.set(new Call(parsed, session), ended);
    }
    const done = (call: Call) => ends.get(call)?.(call);
    const [only, ...others] = ends.keys();
    if (only !== undefined && others.length === 0) this.#pipeline.run(only, done);
    else this.#pipeline.runAll([...ends.keys()], done);
  }

  #ledger(): Pick<Ledger, "admit" | "draw" | "settle"> {
    return {
      draw: () => undefined,
      admit: () => ({}) as Reservation,
      settle: () => {
        this.settled += 1;
      },
    };
  }

  #partnerStore(
    { partnerCap, storeMs }: GatewayOptions,
    time: VirtualTime,
  ): Pick<PartnerStore, "take" | "read"> {
    return {
      read: async () => ({ day: 0, month: this.partnerCalls }),
      take: ({ calls }) =>
        new Promise((resolve) => {
          time.after(storeMs, () => {
            const allowed = Math.min(calls, partnerCap - this.partnerCalls);
            this.partnerCalls += allowed;
            resolve(allowed);
          });
        }),
    };
  }
}

/** A network of the real parts that writes no log, with a cache of its own. */
export function simulatedNetwork(
  config: EvmNetworkConfig,
  parts: Omit<BuildParts, "log" | "metrics" | "cache">,
): EvmNetwork {
  const log = silent as unknown as Logger;
  return buildNetwork(config, {
    ...parts,
    log,
    metrics,
    cache: new MemoryCache({ maxBytes: 1_000_000 }),
  });
}

export function configOf(
  options: NetworkOptions,
  nodes: readonly SimulatedNode[],
): EvmNetworkConfig {
  const base = BASE as EvmNetworkConfig;
  const [upstream] = base.upstreams;
  if (upstream === undefined) throw new Error("the configuration has no upstream");
  const { timeoutMs, confirmations, hedgeShare, window, chainId } = options;
  return {
    ...{ ...base, timeoutMs, confirmations, hedgeShare, window, chainId: chainId ?? CHAIN_ID },
    upstreams: nodes.map(({ options: { name, role } }) => ({ ...upstream, name, role })),
  };
}

function ignore(): void {}
