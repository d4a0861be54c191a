import type { SeededRandom } from "./seeded-random.ts";
import { SimulatedChain } from "./simulated-chain.ts";
import { type GatewayOptions, SimulatedGateway } from "./simulated-gateway.ts";
import { SimulatedNode } from "./simulated-node.ts";
import { VirtualTime } from "./virtual-time.ts";

const NEVER = Number.POSITIVE_INFINITY;

/** A chain, its nodes and a gateway before them, as one seed has them. */
export type World = {
  readonly time: VirtualTime;
  readonly chain: SimulatedChain;
  readonly nodes: readonly SimulatedNode[];
  readonly gateway: SimulatedGateway;
  readonly options: GatewayOptions;
};

export type WorldOptions = {
  readonly primaries: number;
  readonly partners: number;
  /** Of the primaries. */
  readonly socketShare: number;
  readonly reorgShare: number;
};

export function randomWorld(random: SeededRandom): WorldOptions {
  return {
    primaries: random.pick([1, 2, 2, 3, 3, 4]),
    partners: random.pick([0, 0, 1, 2]),
    socketShare: random.pick([0, 0, 0.5, 1]),
    reorgShare: random.pick([0, 0.03, 0.15]),
  };
}

export function makeWorld(random: SeededRandom, shape: WorldOptions): World {
  const time = new VirtualTime();
  const chain = makeChain(random, time, shape.reorgShare);
  const nodes: SimulatedNode[] = [];
  for (let at = 0; at < shape.primaries + shape.partners; at += 1) {
    const role = at < shape.primaries ? "primary" : "partner";
    const name = `${role}-${at}`;
    const hasSocket = role === "primary" && random.chance(shape.socketShare);
    const options = { name, role, hasSocket, ...habits(random) } as const;
    nodes.push(new SimulatedNode(options, { chain, time, random: random.fork() }));
  }
  const options = gatewayOptions(random);
  const gateway = new SimulatedGateway(options, { time, random: random.fork(), nodes });
  return { time, chain, nodes, gateway, options };
}

function makeChain(random: SeededRandom, time: VirtualTime, reorgShare: number): SimulatedChain {
  const habits = {
    blockTimeMs: random.pick([400, 1000, 1000, 2000, 5000]),
    jitter: random.pick([0, 0.1, 0.8]),
    reorgShare,
    deepest: random.pick([1, 3, 8]),
  };
  return new SimulatedChain(habits, { time, random: random.fork() });
}

function habits(random: SeededRandom) {
  return {
    latencyMs: random.pick([2, 10, 40]) * random.between(0.7, 1.3),
    lagMs: random.pick([0, 50, 300]),
    idleMs: random.pick([NEVER, NEVER, NEVER, 5000]),
    states: random.pick([NEVER, NEVER, 64, 6]),
    lacks: random.pick([[], [], ["eth_getBlockReceipts"], ["eth_estimateGas"]]),
  };
}

function gatewayOptions(random: SeededRandom): GatewayOptions {
  return {
    timeoutMs: random.pick([2000, 8000, 8000]),
    confirmations: random.pick([1, 1, 1, 2]),
    hedgeShare: random.pick([0.1, 0.1, 1, 0]),
    window: random.chance(0.15) ? random.int(4, 40) : undefined,
    chainId: undefined,
    partnerCap: random.pick([0, 5, 1000]),
    storeMs: random.pick([0, 1, 30]),
  };
}
