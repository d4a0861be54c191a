import { expect, test } from "vitest";
import { latenciesAt } from "../../support/latencies-at.ts";
import { openRig, STORES } from "./support.ts";

const MINUTE_MS = 60_000;

test.each(STORES)("operators read how a node did, step by step, in %s storage", async (store) => {
  const rig = await openRig({ store });
  await rig.account("operator@example.com", { operator: true });
  const operator = rig.person("operator@example.com");
  const minute = Math.floor(rig.parts.clock.now() / MINUTE_MS);
  const of = { network: "mainnet", upstream: "geth" };
  await rig.storage.nodes.record(
    [
      { ...of, minute, calls: 4, failed: 1, lag: 2, latencies: latenciesAt(10, 4) },
      { ...of, minute: minute - 30, calls: 2, failed: 0, lag: null, latencies: latenciesAt(40, 2) },
      {
        ...of,
        upstream: "reth",
        minute,
        calls: 9,
        failed: 9,
        lag: 9,
        latencies: latenciesAt(1, 9),
      },
    ],
    0,
  );
  const url = "/api/operator/networks/mainnet/upstreams/geth/history";
  const hour = (await operator.get(`${url}?range=1h`)).json();
  expect(hour.times).toHaveLength(60);
  expect([hour.calls.at(-1), hour.failed.at(-1), hour.lag.at(-1)]).toEqual([4, 1, 2]);
  expect([hour.calls.at(-31), hour.lag.at(-31), hour.p99.at(-31)]).toEqual([2, null, 49.8]);
  expect(hour.whole.p50).toBeLessThanOrEqual(10);
  const sum = (values: number[]) => values.reduce((all, one) => all + one, 0);
  for (const [range, steps] of [
    ["24h", 96],
    ["7d", 168],
  ] as const) {
    const told = (await operator.get(`${url}?range=${range}`)).json();
    expect([told.times.length, sum(told.calls), sum(told.failed)]).toEqual([steps, 6, 1]);
  }
  const none = (await operator.get(url.replace("geth", "gone"))).json();
  expect([sum(none.calls), none.whole]).toEqual([0, { p50: null, p95: null, p99: null }]);
  await rig.close();
});
