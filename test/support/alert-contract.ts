import { beforeEach, expect, test } from "vitest";
import type { AlertDelivery, AlertSettings } from "../../src/storage/console-stores.ts";
import { type Storage, StorageError } from "../../src/storage/store.ts";
import { account } from "./records.ts";

const DAY_MS = 86_400_000;
const TODAY = 20_000;
const NOW = TODAY * DAY_MS + 5_000;

const settings = (over: Partial<AlertSettings> = {}): AlertSettings => ({
  accountId: "acc_1",
  thresholds: [75, 100],
  emails: ["ada@example.com"],
  webhook: { url: "https://hooks.example.com/x?y='z'", secret: "whsec_abc" },
  ...over,
});

const alert = { accountId: "acc_1", day: TODAY, threshold: 75 };

export const delivery = (over: Partial<AlertDelivery> = {}): AlertDelivery => ({
  ...alert,
  id: "del_1",
  at: NOW,
  to: "email",
  target: "ada@example.com",
  payload: '{"used":75}',
  state: "pending",
  attempts: 0,
  nextAt: NOW,
  lastError: null,
  ...over,
});

/** What an adapter owes of alerts and of what is on its way. */
export function alertContract(storage: () => Storage): void {
  beforeEach(async () => {
    await storage().accounts.insert(account());
    await storage().accounts.insert(account({ id: "acc_2", email: "b@example.com" }));
  });
  const held = { now: NOW, limit: 9, holdMs: 30_000 };
  const due = async (over: Partial<typeof held> = {}): Promise<readonly string[]> =>
    (await storage().alerts.due({ ...held, ...over })).map(({ id }) => id);
  const page = (accountId = "acc_1", before?: string, limit = 9) =>
    storage().alerts.page(accountId, { before, limit });

  test("settings are kept as they were given, one set for each account", async () => {
    const { alerts } = storage();
    expect(await alerts.read("acc_1")).toBeUndefined();
    await alerts.write(settings());
    const other = settings({ accountId: "acc_2", thresholds: [], emails: [], webhook: null });
    await alerts.write(other);
    expect(await alerts.list()).toEqual([settings(), other]);
    await alerts.write(settings({ thresholds: [85], webhook: null }));
    expect(await alerts.read("acc_1")).toEqual(settings({ thresholds: [85], webhook: null }));
    expect(await alerts.read("acc_2")).toEqual(other);
    await expect(alerts.write(settings({ accountId: "acc_9" }))).rejects.toThrow(StorageError);
  });

  test("of all who claim an alert at once one has it, and its deliveries are written once", async () => {
    const { alerts } = storage();
    const claims = ["del_1", "del_2", "del_3"].map((id) => alerts.claim(alert, [delivery({ id })]));
    const claimed = await Promise.all(claims);
    expect(claimed.filter(Boolean)).toHaveLength(1);
    expect((await page()).deliveries).toHaveLength(1);
    expect(await alerts.claim(alert, [])).toBe(false);
    expect(await alerts.claim({ ...alert, threshold: 85 }, [])).toBe(true);
    expect(await alerts.claim({ ...alert, day: TODAY + 1 }, [])).toBe(true);
    expect(await alerts.claim({ ...alert, accountId: "acc_2" }, [])).toBe(true);
    expect(await alerts.claim({ ...alert, accountId: "acc_9" }, [])).toBe(false);
  });

  test("what is due is had by one, until its time is over or it is settled as pending", async () => {
    const { alerts } = storage();
    const late = delivery({ id: "del_2", to: "webhook", nextAt: NOW + 1 });
    await alerts.claim(alert, [delivery(), late, delivery({ id: "del_3", nextAt: NOW - 5 })]);
    expect(await due({ limit: 1 })).toEqual(["del_3"]);
    expect(await alerts.due(held)).toEqual([delivery({ nextAt: NOW + 30_000 })]);
    expect(await due()).toEqual([]);
    expect(await due({ now: NOW + 30_000 })).toEqual(["del_1", "del_2", "del_3"]);
    await alerts.settle("del_1", { state: "sent", attempts: 1, nextAt: null, lastError: null });
    const failed = { state: "failed", attempts: 6, nextAt: null, lastError: "HTTP 500" } as const;
    await alerts.settle("del_2", failed);
    const again = { state: "pending", attempts: 1, nextAt: NOW + 7, lastError: "late" } as const;
    await alerts.settle("del_3", again);
    await alerts.settle("del_9", again);
    expect(await due({ now: NOW + 7 })).toEqual(["del_3"]);
    expect(await due({ now: NOW + 9 * DAY_MS })).toEqual(["del_3"]);
    expect((await page()).deliveries.slice(1)).toEqual([
      { ...late, ...failed },
      delivery({ state: "sent", attempts: 1, nextAt: null }),
    ]);
  });

  test("of those who look at once each delivery goes to one", async () => {
    const { alerts } = storage();
    const many = Array.from({ length: 10 }, (_, n) => delivery({ id: `del_${n}` }));
    await alerts.claim(alert, many);
    const all = await Promise.all(Array.from({ length: 5 }, () => due({ limit: 3 })));
    expect(all.flat().sort()).toEqual(many.map(({ id }) => id));
  });

  test("deliveries are paged latest first, of one account", async () => {
    const { alerts } = storage();
    await alerts.claim(alert, [delivery(), delivery({ id: "del_2" }), delivery({ id: "del_3" })]);
    const other = { ...alert, accountId: "acc_2" };
    await alerts.claim(other, [delivery({ ...other, id: "del_4" })]);
    const first = await page("acc_1", undefined, 2);
    expect(first.deliveries.map(({ id }) => id)).toEqual(["del_3", "del_2"]);
    const third = { ...alert, threshold: 100 };
    await alerts.claim(third, [delivery({ ...third, id: "del_5" })]);
    expect(await page("acc_1", first.next ?? "")).toEqual({ deliveries: [delivery()], next: null });
    expect(await page("acc_2", "no page")).toEqual({ deliveries: [], next: null });
  });

  test("alerts end with their account, and old ones with the days of the usage", async () => {
    const { accounts, alerts, usage } = storage();
    await alerts.write(settings());
    await alerts.claim(alert, [delivery()]);
    const other = { ...alert, accountId: "acc_2" };
    await alerts.claim(other, [delivery({ ...other, id: "del_2" })]);
    await accounts.delete("acc_1");
    expect(await alerts.list()).toEqual([]);
    expect((await page()).deliveries).toEqual([]);
    expect(await due({ limit: 1 })).toEqual(["del_2"]);

    const prune = (day: number) => usage.prune({ minute: 0, hour: 0, day });
    await prune(NOW);
    expect((await page("acc_2")).deliveries).toHaveLength(1);
    expect(await alerts.claim(other, [])).toBe(false);
    await prune(NOW + DAY_MS);
    expect((await page("acc_2")).deliveries).toEqual([]);
    expect(await alerts.claim(other, [])).toBe(true);
  });
}
