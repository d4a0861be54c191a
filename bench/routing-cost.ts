import { MemoryCache } from "../src/cache/memory-cache.ts";
import { DEFAULT_WIRE } from "../src/config/default-wire.ts";
import { parseConfig } from "../src/config/load.ts";
import type { JsonValue } from "../src/jsonrpc/value.ts";
import { encode } from "../src/jsonrpc/value.ts";
import { TimerWheel } from "../src/lib/timer-wheel.ts";
import type { Definition } from "../src/methods/definition.ts";
import { FAMILIES } from "../src/methods/families.ts";
import { type ShapeOptions, shapeResult } from "../src/methods/shapes/shape.ts";
import type { Answer } from "../src/networks/answers.ts";
import { buildNetwork } from "../src/networks/build-network.ts";
import type { Network, Plan } from "../src/networks/network.ts";
import { createLog } from "../src/telemetry/log.ts";
import { Metrics, type OutcomeMetrics } from "../src/telemetry/metrics.ts";
import type { Transport } from "../src/transports/transport.ts";
import { judge, labelOf } from "../src/upstreams/verdict.ts";
import { EventLoop } from "../src/wire/event-loop.ts";
import { timed } from "../test/support/timed.ts";
import { digitsOf, HEAD_NUMBER, smallBlock, writeBlock } from "./chain.ts";
import { median } from "./histogram.ts";

/** Median CPU microseconds per call of one kind, by both ways to the nodes. */
export type RoutingCost = {
  readonly kind: string;
  readonly directUs: number;
  readonly routedUs: number;
  readonly addsUs: number;
};

export type RoutingCostOptions = {
  /** Of each kind, by each way, in each round. */
  readonly calls: number;
  readonly rounds: number;
};

/** Takes one call, which began at `begunMs`, to its result. */
type Way = (definition: Definition, args: readonly JsonValue[], begunMs: number) => void;
type Kind = {
  readonly name: string;
  readonly definition: Definition;
  readonly args: (n: number) => readonly JsonValue[];
};

const NAMES = ["a", "b"] as const;
const TIMEOUT_MS = 8000;
const BLOCK_MS = 1000;
const PORTION = 1000;
const CALL_RESULT = `"0x${"0".repeat(62)}1f"`;
const SMALL = smallBlock();
const SHAPE: ShapeOptions = {
  pending: false,
  pendingBlock: "documented",
  signatures: "node",
  finalTotalDifficulty: undefined,
};
const KINDS: readonly Kind[] = [
  {
    name: "eth_call of latest",
    definition: definitionOf("eth_call"),
    args: (n) => {
      const data = `0x70a08231${n.toString(16).padStart(64, "0")}`;
      const to = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
      return [new Map(Object.entries({ to, data })), "latest"];
    },
  },
  {
    name: "a block by number",
    definition: definitionOf("eth_getBlockByNumber"),
    args: (n) => [`0x${digitsOf(HEAD_NUMBER - 100 - (n % 100_000))}`, false],
  },
];

/**
 * The same calls to two nodes in this process that answer at once, by two ways in turn: as the
 * simplest pool takes them (each node in its turn, timed and counted, the answer judged and shaped),
 * and through a network with its head view, selection, breakers and hedges. The chain moves on meanwhile.
 */
export async function routingCost({ calls, rounds }: RoutingCostOptions): Promise<RoutingCost[]> {
  const network = networkOf();
  network.start();
  try {
    while (network.chain.head === undefined || network.upstreams.some(({ head }) => head < 0)) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const ways = { direct: directWay(), routed: routedWay(network) };
    const found = KINDS.map((kind) => ({ kind, direct: [] as number[], routed: [] as number[] }));
    // The first round is the compiler's.
    for (let round = 0; round <= rounds; round += 1) {
      for (const { kind, ...figures } of found) {
        for (const name of round % 2 === 0 ? ORDER : [...ORDER].reverse()) {
          const us = await cpuUsPerCall({ way: ways[name], kind, calls });
          if (round > 0) figures[name].push(us);
        }
      }
    }
    return found.map(({ kind, direct, routed }) => {
      const [directUs = 0, routedUs = 0] = [median(direct) ?? 0, median(routed) ?? 0];
      return { kind: kind.name, directUs, routedUs, addsUs: routedUs - directUs };
    });
  } finally {
    await network.stop();
  }
}

/** As the gateway itself, whose clock stands still while an event is dealt with. */
const { clock, buffers } = new EventLoop(DEFAULT_WIRE);
const ORDER = ["direct", "routed"] as const;
let nextCall = 0;

async function cpuUsPerCall(task: {
  readonly way: Way;
  readonly kind: Kind;
  readonly calls: number;
}): Promise<number> {
  const { calls } = task;
  const before = process.cpuUsage();
  for (let left = calls; left > 0; left -= PORTION) {
    for (let n = Math.min(left, PORTION); n > 0; n -= 1) {
      nextCall += 1;
      // As a read of a client's socket does it.
      clock.atOneMoment(callOnce, task, nextCall);
    }
    // Timers and polls have their turn, as between the requests of a server.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

function callOnce({ way, kind }: { readonly way: Way; readonly kind: Kind }, n: number): void {
  way(kind.definition, kind.args(n), clock.monotonic());
}

/** A node that answers within the call. */
function answeringNode(): Transport {
  const begunMs = performance.now();
  const nothing = { cancel: () => undefined };
  return {
    isConnected: true,
    call: ({ method, params }, asker) => {
      asker.answered({ kind: "result", result: [resultOf(method, params, begunMs)] });
      return nothing;
    },
    close: async () => undefined,
  };
}

function resultOf(method: string, params: string, begunMs: number): Buffer {
  if (method === "eth_call") return Buffer.from(CALL_RESULT, "latin1");
  if (method === "eth_chainId") return Buffer.from('"0x1"', "latin1");
  const isLatest = params.startsWith('["latest"');
  const head = HEAD_NUMBER + Math.floor((performance.now() - begunMs) / BLOCK_MS);
  const number = isLatest ? head : Number.parseInt(params.slice(4, params.indexOf('"', 4)), 16);
  const target = Buffer.allocUnsafe(SMALL.bytes.length);
  writeBlock(SMALL, number, { target, offset: 0 });
  return target;
}

function directWay(): Way {
  const { upstreamCalls } = new Metrics().network("bench");
  const nodes = NAMES.map((name) => ({ transport: answeringNode(), counts: upstreamCalls(name) }));
  let turn = 0;
  return (definition, args) => {
    const { method, shape } = definition;
    const node = nodes[turn % nodes.length];
    turn += 1;
    if (node === undefined) throw new Error("no node");
    const sentMs = clock.monotonic();
    const request = { method, params: encode(args), timeoutMs: TIMEOUT_MS };
    node.transport.call(request, {
      answered: (answer) => {
        const verdict = judge(method, answer);
        count(node.counts, labelOf(verdict), sentMs);
        if (verdict.kind !== "result") throw new Error(`${method}: ${verdict.kind}`);
        shapeResult(shape, verdict.result, SHAPE, args);
      },
    });
  };
}

function count(counts: OutcomeMetrics, outcome: string, sentMs: number): void {
  counts.record(outcome, (clock.monotonic() - sentMs) / 1000);
}

/** As the pipeline does it: stages 6, 8 and 9. */
function routedWay(network: Network): Way {
  return (definition, args, begunMs) => {
    const deadlineMs = begunMs + TIMEOUT_MS;
    const question = { definition, args, minBlock: -1, partner: false, deadlineMs };
    const plan = network.resolve(question, { planned: failed });
    if (plan === "waiting" || "name" in plan) return failed(plan);
    const answered = ({ kind }: Answer) => {
      if (kind !== "result") failed(kind);
    };
    network.fetch(plan, { account: "acct", keyId: "key", deadlineMs, answered });
  };
}

function failed(what: Plan | object | string): never {
  throw new Error(`a call was not answered: ${JSON.stringify(what)}`);
}

function networkOf(): Network {
  const upstreams = NAMES.map((name) => ({ name, url: "http://127.0.0.1:1" }));
  const own = { name: "bench", family: "evm", chainId: 1, upstreams };
  const [config] = parseConfig(JSON.stringify({ networks: [own] }), {
    baseDir: "/",
    environment: {},
  }).networks;
  if (config?.family !== "evm") throw new Error("no network");
  return buildNetwork(config, {
    clock,
    buffers,
    timers: new TimerWheel(timed(clock)),
    turnEnds: (run) => void setImmediate(run),
    random: Math.random,
    connect: () => ({ transport: answeringNode(), heads: undefined }),
    log: createLog({ level: "silent", terminal: false }),
    metrics: new Metrics().network("bench"),
    partners: { take: async () => 0, read: async () => ({ day: 0, month: 0 }) },
    partnerCaps: () => ({}),
    cache: new MemoryCache({ maxBytes: 0 }),
  });
}

function definitionOf(method: string): Definition {
  const found = FAMILIES.evm.lookUp(method);
  if (found === undefined) throw new Error(`no method ${method}`);
  return found;
}
