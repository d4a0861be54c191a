import { MemoryCache } from "../../src/cache/memory-cache.ts";
import { parseConfig } from "../../src/config/load.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { TimerWheel } from "../../src/lib/timer-wheel.ts";
import type { ChainWatch } from "../../src/networks/evm/chain-watch.ts";
import { EvmNetwork } from "../../src/networks/evm/evm-network.ts";
import type { Network } from "../../src/networks/network.ts";
import type { Router } from "../../src/routing/router.ts";
import type { FetchOutcome } from "../../src/routing/routing.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { Upstream } from "../../src/upstreams/upstream.ts";
import { LargeBuffers } from "../../src/wire/bytes/large-buffers.ts";

/** The head of every such network. */
const STUB_HEAD = 16;

const IDLE = {
  advanced: nothing,
  changed: nothing,
  answering: nothing,
  broke: nothing,
  asked: nothing,
};

/** A network in this process whose nodes answer at once: the result as JSON text, or nobody. */
export function stubNetwork(
  name: string,
  resultOf: (method: string, params: string) => string | undefined,
): Network {
  const upstreams = [{ name: "node", url: "http://127.0.0.1:1" }];
  const text = JSON.stringify({ networks: [{ name, family: "evm", chainId: 1, upstreams }] });
  const [config] = parseConfig(text, { baseDir: "/", environment: {} }).networks;
  if (config?.family !== "evm") throw new Error("no network");
  const transport = {
    isConnected: true,
    call: () => ({ cancel: nothing }),
    close: async () => undefined,
  };
  const upstream = new Upstream(
    { name: "node", role: "primary", index: 0, lacks: [], archive: "auto" },
    { transport, clock: systemClock, observe: nothing, events: IDLE },
  );
  const fetch: Router["fetch"] = (request) => {
    const result = resultOf(request.need.method, request.params);
    const outcome: FetchOutcome =
      result === undefined
        ? { kind: "exhausted", internal: "all failed" }
        : { kind: "result", askedMs: 0, result: [Buffer.from(result)], upstream };
    request.done(outcome);
  };
  const head = { number: STUB_HEAD, hash: undefined, gasLimit: 30_000_000n };
  const chain = {
    chainId: 1,
    head,
    touch: nothing,
    subscribe: () => nothing,
    seen: nothing,
    tag: (_: string, __: number, done: (found: undefined) => void) => done(undefined),
    isInStep: true,
    atOnce: (run: () => void) => run(),
  };
  return new EvmNetwork(config, {
    upstreams: [upstream],
    router: { fetch, together: (run) => run() } as Router,
    chain: { ...chain, shown: chain } as unknown as ChainWatch,
    metrics: new Metrics().network(name),
    clock: systemClock,
    timers: new TimerWheel(systemClock),
    turnEnds: (run) => void setImmediate(run),
    buffers: new LargeBuffers(),
    cache: new MemoryCache({ maxBytes: 0 }),
  });
}

function nothing(): void {}
