import { addLatencies, type LatencyCounts, noLatencies } from "../../../src/lib/latency-counts.ts";
import type { Account, Storage } from "../../../src/storage/store.ts";
import type { UsageBucket } from "../../../src/storage/usage-store.ts";
import { latenciesAt } from "../../support/latencies-at.ts";

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAYS = 30;

type Kind = Pick<UsageBucket, "network" | "method" | "outcome"> & {
  readonly cost: number;
  /** Of all calls. */
  readonly share: number;
  readonly bytes: number;
  readonly ms: number;
};

const kind = (
  network: string,
  method: string,
  figures: Omit<Kind, "network" | "method">,
): Kind => ({
  ...{ network, method, ...figures },
});

const KINDS: readonly Kind[] = [
  kind("mainnet", "eth_call", { outcome: "ok", cost: 80, share: 0.36, bytes: 130, ms: 14 }),
  kind("mainnet", "eth_call", { outcome: "revert", cost: 80, share: 0.02, bytes: 90, ms: 11 }),
  kind("mainnet", "eth_getBalance", { outcome: "ok", cost: 80, share: 0.17, bytes: 22, ms: 8 }),
  kind("mainnet", "eth_blockNumber", { outcome: "ok", cost: 80, share: 0.2, bytes: 11, ms: 0.2 }),
  kind("mainnet", "eth_getLogs", { outcome: "ok", cost: 255, share: 0.07, bytes: 18_000, ms: 61 }),
  kind("mainnet", "eth_getLogs", {
    outcome: "invalid_params",
    cost: 0,
    share: 0.004,
    bytes: 0,
    ms: 1,
  }),
  kind("mainnet", "eth_getTransactionReceipt", {
    ...{ outcome: "ok", cost: 80, share: 0.06, bytes: 1400, ms: 9 },
  }),
  kind("solana", "getSlot", { outcome: "ok", cost: 80, share: 0.08, bytes: 9, ms: 0.2 }),
  kind("solana", "getBlock", { outcome: "ok", cost: 250, share: 0.03, bytes: 90_000, ms: 120 }),
  kind("solana", "getBlock", { outcome: "unavailable", cost: 0, share: 0.002, bytes: 0, ms: 900 }),
];

export type Demo = {
  readonly storage: Storage;
  readonly account: Pick<Account, "id">;
  readonly keyIds: readonly string[];
  /** Unix milliseconds: the month ends here. */
  readonly now: number;
  /** In a busy minute, of all kinds. */
  readonly calls: number;
};

/** A month of an account with days and nights: hours first, minutes in the last day. */
export async function recordMonth(demo: Demo): Promise<void> {
  const end = Math.floor(demo.now / MINUTE_MS);
  const yesterday = end - 24 * HOUR_MINUTES;
  for (let minute = end - DAYS * 24 * HOUR_MINUTES; minute < yesterday; minute += HOUR_MINUTES) {
    await demo.storage.usage.record(bucketsAt(minute, HOUR_MINUTES, demo), []);
  }
  const recent: UsageBucket[] = [];
  for (let minute = yesterday; minute <= end; minute += 5)
    recent.push(...bucketsAt(minute, 5, demo));
  const minute = end - 3;
  const contracts = [
    "dac17f958d2ee523a2206206994597c13d831ec7",
    "a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
  ];
  await demo.storage.usage.record(
    recent,
    contracts.map((contract, place) => ({
      ...{ minute, accountId: demo.account.id, network: "mainnet", contract: `0x${contract}` },
      calls: 800 - 500 * place,
    })),
  );
}

/** Most calls take about as long, one in ten three times and one in fifty ten times as long. */
function spread(ms: number, calls: number): LatencyCounts {
  const counts = noLatencies();
  const slow = Math.floor(calls / 10);
  const slowest = Math.floor(calls / 50);
  addLatencies(counts, latenciesAt(ms, calls - slow - slowest));
  addLatencies(counts, latenciesAt(3 * ms, slow));
  addLatencies(counts, latenciesAt(10 * ms, slowest));
  return counts;
}

function bucketsAt(
  minute: number,
  minutes: number,
  { account, keyIds, calls }: Demo,
): UsageBucket[] {
  const dayShare = ((minute / HOUR_MINUTES) % 24) / 24;
  const swell = 0.35 + 0.65 * Math.sin(Math.PI * dayShare) ** 2;
  return KINDS.flatMap((each, place) =>
    keyIds.map((keyId, key) => {
      const wobble = 0.8 + 0.4 * (((minute * 7 + place * 13 + key * 5) % 17) / 17);
      const part = (each.share * swell * wobble) / 2 ** (key + 1);
      const count = Math.round(calls * minutes * part);
      return {
        ...{ minute, accountId: account.id, keyId, calls: count, credits: count * each.cost },
        ...{ network: each.network, method: each.method, outcome: each.outcome },
        bytes: count * each.bytes,
        latencyMs: count * each.ms,
        latencies: spread(each.ms, count),
      };
    }),
  ).filter((bucket) => bucket.calls > 0);
}
