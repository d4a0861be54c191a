import { expect, test } from "vitest";
import type { Storage } from "../../src/storage/store.ts";
import type { ContractCount, UsageBucket, UsageQuery } from "../../src/storage/usage-store.ts";
import { latenciesAt } from "./latencies-at.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MIDNIGHT = Date.UTC(2026, 10, 21);
const MINUTE = MIDNIGHT / 60_000;

export const bucket = (over: Partial<UsageBucket> = {}): UsageBucket => ({
  minute: MINUTE,
  accountId: "acc_1",
  keyId: "key_1",
  network: "mainnet",
  method: "eth_call",
  outcome: "ok",
  calls: 2,
  credits: 160,
  bytes: 1_000,
  latencyMs: 2.5,
  latencies: latenciesAt(1.25, 2),
  ...over,
});

const contractCount = (over: Partial<ContractCount> = {}): ContractCount => ({
  minute: MINUTE,
  accountId: "acc_1",
  network: "mainnet",
  contract: "0xaa",
  calls: 3,
  ...over,
});

const everything = (over: Partial<UsageQuery> = {}): UsageQuery => ({
  accountId: "acc_1",
  resolution: "minute",
  from: 0,
  to: MIDNIGHT + 100 * DAY_MS,
  ...over,
});

/** What an adapter owes of the usage: sums of each minute, hour and day, ordered by time. */
export function usageContract(storage: () => Storage): void {
  test("a bucket counts in its minute, its hour and its day", async () => {
    const { usage } = storage();
    await usage.record([bucket({ minute: MINUTE + 61 }), bucket({ minute: MINUTE + 119 })], []);
    await usage.record([bucket({ minute: MINUTE + 61, calls: 1 })], []);
    const { minute: _, accountId: __, latencies: ___, ...row } = bucket();
    const at = async (resolution: UsageQuery["resolution"]): Promise<unknown> =>
      (await usage.query(everything({ resolution }))).map((each) => ({ ...each }));
    expect(await at("minute")).toEqual([
      {
        ...row,
        at: MIDNIGHT + 61 * 60_000,
        calls: 3,
        credits: 320,
        bytes: 2_000,
        latencyMs: 5,
      },
      { ...row, at: MIDNIGHT + 119 * 60_000 },
    ]);
    const sums = { ...row, calls: 5, credits: 480, bytes: 3_000, latencyMs: 7.5 };
    expect(await at("hour")).toEqual([{ ...sums, at: MIDNIGHT + HOUR_MS }]);
    expect(await at("day")).toEqual([{ ...sums, at: MIDNIGHT }]);
  });

  test("a batch with a number is added once, however often and late it is sent", async () => {
    const { usage } = storage();
    const one = { process: "one", number: 7 };
    const calls = async () => {
      const rows = await usage.query(everything({ resolution: "day" }));
      const [top] = await usage.topContracts({ ...everything(), limit: 1 });
      return [rows[0]?.calls, top?.calls];
    };
    const record = (batch?: typeof one) => usage.record([bucket()], [contractCount()], batch);
    await Promise.all([record(one), record(one), record(one)]);
    expect(await calls()).toEqual([2, 3]);
    await record({ ...one, number: 6 });
    expect(await calls()).toEqual([2, 3]);
    await record({ ...one, number: 8 });
    await record({ process: "two", number: 1 });
    await record();
    await record();
    expect(await calls()).toEqual([10, 15]);
  });

  test("each key, network, method and outcome has its own row, in a fixed order", async () => {
    const { usage } = storage();
    const buckets = [
      bucket({ minute: MINUTE + 1 }),
      bucket({ outcome: "reverted" }),
      bucket({ method: "eth_chainId" }),
      bucket({ network: "a-network" }),
      bucket({ keyId: "key_0" }),
      bucket(),
      bucket(),
    ];
    await usage.record(buckets, []);
    const rows = await usage.query(everything());
    expect(
      rows.map(({ at, keyId, network, method, outcome, calls }) =>
        [(at - MIDNIGHT) / 60_000, keyId, network, method, outcome, calls].join(" "),
      ),
    ).toEqual([
      "0 key_0 mainnet eth_call ok 2",
      "0 key_1 a-network eth_call ok 2",
      "0 key_1 mainnet eth_call ok 4",
      "0 key_1 mainnet eth_call reverted 2",
      "0 key_1 mainnet eth_chainId ok 2",
      "1 key_1 mainnet eth_call ok 2",
    ]);
  });

  test("a question is of one account, of one key if so wanted, from a time up to another", async () => {
    const { usage } = storage();
    const minutes = [0, 1, 2].map((more) => MINUTE + more);
    await usage.record(
      minutes.flatMap((minute) => [
        bucket({ minute }),
        bucket({ minute, network: "sepolia" }),
        bucket({ minute, keyId: "key_2" }),
        bucket({ minute, accountId: "acc_2" }),
      ]),
      [],
    );
    const count = async (over: Partial<UsageQuery>): Promise<number> =>
      (await usage.query(everything(over))).length;
    expect(await count({})).toBe(9);
    expect(await count({ network: "sepolia" })).toBe(3);
    expect(await count({ network: "sepolia", keyId: "key_2" })).toBe(0);
    expect(await count({ keyId: "key_2" })).toBe(3);
    expect(await count({ keyId: "key_9" })).toBe(0);
    expect(await count({ accountId: "acc_9" })).toBe(0);
    expect(await count({ from: MIDNIGHT + 60_000, to: MIDNIGHT + 120_000 })).toBe(3);
    expect(await count({ from: MIDNIGHT + 60_001, to: MIDNIGHT + 120_001 })).toBe(3);
  });

  test("contracts are told most called first, of one account and a span of time", async () => {
    const { usage } = storage();
    await usage.record(
      [],
      [
        contractCount(),
        contractCount({ minute: MINUTE + 1, calls: 4 }),
        contractCount({ contract: "0xbb", calls: 9 }),
        contractCount({ contract: "0xcc", calls: 7 }),
        contractCount({ network: "a-network", calls: 1 }),
        contractCount({ accountId: "acc_2", calls: 100 }),
      ],
    );
    await usage.record([], [contractCount({ contract: "0xbb", calls: 1 })]);
    const span = { accountId: "acc_1", from: MIDNIGHT, to: MIDNIGHT + HOUR_MS };
    expect(await usage.topContracts({ ...span, limit: 3 })).toEqual([
      { network: "mainnet", contract: "0xbb", calls: 10 },
      { network: "mainnet", contract: "0xaa", calls: 7 },
      { network: "mainnet", contract: "0xcc", calls: 7 },
    ]);
    const second = { ...span, from: MIDNIGHT + 60_000, to: MIDNIGHT + 120_000, limit: 9 };
    expect(await usage.topContracts(second)).toEqual([
      { network: "mainnet", contract: "0xaa", calls: 4 },
    ]);
  });

  test("pruning drops what is older, of each resolution by its own time", async () => {
    const { usage } = storage();
    const minutes = [MINUTE - 1, MINUTE, MINUTE + 60];
    await usage.record(
      minutes.map((minute) => bucket({ minute })),
      minutes.map((minute) => contractCount({ minute })),
    );
    await usage.prune({ minute: MIDNIGHT, hour: MIDNIGHT + HOUR_MS, day: MIDNIGHT - DAY_MS });
    const times = async (resolution: UsageQuery["resolution"]): Promise<readonly number[]> =>
      (await usage.query(everything({ resolution }))).map(({ at }) => (at - MIDNIGHT) / HOUR_MS);
    expect(await times("minute")).toEqual([0, 1]);
    expect(await times("hour")).toEqual([1]);
    expect(await times("day")).toEqual([-24, 0]);
    const top = await usage.topContracts({ ...everything(), limit: 1 });
    expect(top[0]?.calls).toBe(6);
  });
}
