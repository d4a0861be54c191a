import type { Samples } from "./samples.ts";
import { SLOT_SAMPLES } from "./slot-samples.ts";

/** At most: charts have something to show, and a laptop's fan stays still. */
const EVERY_MS = 500;
const TIMEOUT_MS = 5000;
/** From half to all of the calls and back within this time, so that charts show no straight line. */
const SWELL_MS = 600_000;

type Call = readonly [network: "dev" | "dev-slots", method: string, params: readonly unknown[]];

type TrafficOptions = {
  /** `http://127.0.0.1:PORT` of the gateway. */
  readonly gatewayUrl: string;
  readonly apiKey: string;
  readonly samples: Samples;
};

/**
 * Calls of both networks through the gateway, reverts and refusals among them, as programs of users
 * would make. Whether they are answered is nobody's concern here. Returns what ends it.
 */
export function startDemoTraffic(options: TrafficOptions): () => Promise<void> {
  const calls = demoCalls(options.samples);
  const ended = new AbortController();
  let next = 0;
  let inAir: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    const share = 0.75 + 0.25 * Math.sin((2 * Math.PI * Date.now()) / SWELL_MS);
    if (Math.random() > share) return;
    const call = calls[next % calls.length];
    next += 1;
    if (call !== undefined) inAir = send(options, call, ended.signal);
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    ended.abort();
    await inAir;
  };
}

async function send(
  { gatewayUrl, apiKey }: TrafficOptions,
  [network, method, params]: Call,
  ended: AbortSignal,
): Promise<void> {
  try {
    const response = await fetch(`${gatewayUrl}/${network}/v3/${apiKey}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.any([ended, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.arrayBuffer();
  } catch {
    // It ends, or the gateway is busy: the next call is due soon.
  }
}

/** A round of calls, cheap ones most often. */
function demoCalls(samples: Samples): readonly Call[] {
  const { transactions, storage, calls, reverts, contract } = samples;
  const { blockNumber, blockHash } = transactions.feeMarket;
  const { versionedSlot, legacySlot } = SLOT_SAMPLES;
  return [
    ["dev", "eth_blockNumber", []],
    ["dev", "eth_call", [calls.balanceOf, "latest"]],
    ["dev", "eth_getBlockByNumber", ["latest", false]],
    ["dev-slots", "getSlot", []],
    ["dev", "eth_call", [calls.greeting, "latest"]],
    ["dev", "eth_getTransactionReceipt", [transactions.legacy.hash]],
    ["dev", "eth_getStorageAt", [contract, storage.greeting.position, "latest"]],
    ["dev-slots", "getBlock", [versionedSlot, { maxSupportedTransactionVersion: 0 }]],
    ["dev", "eth_blockNumber", []],
    ["dev", "eth_estimateGas", [calls.transfer, "latest"]],
    ["dev", "eth_call", [reverts.reason, "latest"]],
    ["dev", "eth_getBlockByHash", [blockHash, false]],
    ["dev", "eth_call", [calls.balanceOf, "latest"]],
    ["dev", "eth_getBlockByNumber", [blockNumber, true]],
    ["dev-slots", "getBlock", [legacySlot]],
    ["dev", "eth_getBlockByNumber", ["newest", false]],
  ];
}
