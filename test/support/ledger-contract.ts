import { expect, onTestFinished, test } from "vitest";
import type { GivenBack, Grant, LedgerStore, TakeRequest } from "../../src/storage/ledger-store.ts";
import type { Storage } from "../../src/storage/store.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const TODAY = Math.floor(NOON / 86_400_000);

let numbers = 0;
/** Each is a take of its own, unless it is given a number. */
export const takeRequest = (over: Partial<TakeRequest> = {}): TakeRequest => ({
  number: ++numbers,
  owner: "acc_1",
  day: TODAY,
  pool: null,
  want: 500,
  least: 80,
  limit: 3_000_000,
  process: "one",
  perSecond: 500,
  now: NOON,
  ...over,
});

/** Each is a series of its own, of the credits. */
export const givenBack = (credits: number, over: Partial<GivenBack> = {}): GivenBack => ({
  ...{ owner: "acc_1", day: TODAY, process: "one", series: ++numbers, total: credits },
  ...over,
});

/** What an adapter's ledger owes: exact to the credit, whoever takes at once. */
export function ledgerContract(storage: () => Storage): void {
  balanceContract(storage);
  dayContract(storage);
  sharingContract(storage);
  onceContract(storage);
}

/** A network may lose any answer, and bring a statement late. */
function onceContract(storage: () => Storage): void {
  test("a take that is asked again is granted the same, once, on the day that it was of", async () => {
    const { ledger } = storage();
    const request = takeRequest({ limit: 8_000 });
    const grant = await ledger.take(request);
    expect(await ledger.take(request)).toEqual(grant);
    const later = { ...request, want: 5, least: 5, day: TODAY + 1, now: NOON + 43_200_000 };
    expect(await ledger.take(later)).toEqual(grant);
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 500, added: 0 });
    expect(await ledger.read("acc_1", TODAY + 1)).toEqual({ used: 0, added: 0 });
  });

  test("one that was granted nothing is not carried out later either, and one that comes late is granted nothing", async () => {
    const { ledger } = storage();
    const early = takeRequest({ limit: 100, least: 200 });
    expect(await ledger.take(early)).toMatchObject({ granted: 0, left: 100 });
    await ledger.add("acc_1", TODAY, 900);
    expect(await ledger.take(early)).toMatchObject({ granted: 0, left: 1000 });
    const next = takeRequest({ limit: 100 });
    expect(await ledger.take(next)).toMatchObject({ granted: 80 });
    expect(await ledger.take(early)).toMatchObject({ granted: 0, left: 920, waitMs: 0 });
    expect(await ledger.take(next)).toMatchObject({ granted: 80, left: 920 });
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 80, added: 900 });
  });

  test("what processes have leased and not spent is told apart for less than two seconds, less what goes back", async () => {
    const { ledger } = storage();
    const spent = async (now: number) => (await ledger.read("acc_1", TODAY, now)).used;
    const first = takeRequest({ want: 500, unspent: 0 });
    await ledger.take(first);
    expect(await spent(NOON)).toBe(0);
    const second = takeRequest({ want: 500, unspent: 100, now: NOON + 1000 });
    await ledger.take(second);
    expect(await spent(NOON + 1000)).toBe(400);
    // Asked again it tells what is left by then; one that comes late tells nothing.
    await ledger.take({ ...second, unspent: 80, now: NOON + 1500 });
    await ledger.take({ ...first, now: NOON + 1600 });
    expect(await spent(NOON + 2000)).toBe(420);
    await ledger.giveBack(givenBack(180));
    expect((await ledger.read("acc_1", TODAY)).used).toBe(820);
    expect(await spent(NOON + 2000)).toBe(420);
    await ledger.giveBack(givenBack(100, { unspent: 250 }));
    expect(await spent(NOON + 2000)).toBe(470);
    await ledger.giveBack(givenBack(20, { unspent: 280 }));
    expect(await spent(NOON + 2000)).toBe(420);
    await ledger.take(takeRequest({ process: "two", want: 80, unspent: 0, now: NOON + 3100 }));
    expect(await spent(NOON + 3100)).toBe(420);
    // The first may have ended.
    expect(await spent(NOON + 3500)).toBe(700);
    expect(await spent(NOON + 5100)).toBe(780);
  });

  test("credits that keep their throughput go back to the day, and not to the bucket", async () => {
    const { ledger } = storage();
    await ledger.take(takeRequest());
    await ledger.giveBack({ ...givenBack(400), keepsThroughput: true });
    const two = takeRequest({ process: "two", now: NOON + 100 });
    expect(await ledger.take(two)).toMatchObject({ granted: 0, waitMs: 60, shared: true });
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 100, added: 0 });
    await ledger.giveBack(givenBack(50));
    const again = takeRequest({ process: "two", now: NOON + 110 });
    expect(await ledger.take(again)).toMatchObject({ granted: 80, shared: true });
  });

  test("one that has to wait is told so each time", async () => {
    const { ledger } = storage();
    await ledger.take(takeRequest());
    const two = takeRequest({ process: "two", now: NOON + 100 });
    const told = { granted: 0, waitMs: 60, shared: true };
    expect(await ledger.take(two)).toMatchObject(told);
    expect(await ledger.take({ ...two, now: NOON + 500 })).toMatchObject(told);
  });

  test("numbers are each process's own, for each owner", async () => {
    const { ledger } = storage();
    const number = 7;
    const asked = { number, limit: 1e6, perSecond: 1e6 };
    await ledger.take(takeRequest(asked));
    await ledger.take(takeRequest({ ...asked, process: "two" }));
    await ledger.take(takeRequest({ ...asked, owner: "key_1" }));
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 1000, added: 0 });
    expect(await ledger.read("key_1", TODAY)).toEqual({ used: 500, added: 0 });
  });

  test("what goes back is what a total has more than before, in whatever order totals come", async () => {
    const { ledger } = storage();
    await ledger.take(takeRequest());
    const series = givenBack(0).series;
    const used = async (over: Partial<GivenBack>) => {
      await ledger.giveBack(givenBack(0, { series, ...over }));
      return (await ledger.read("acc_1", TODAY)).used;
    };
    expect(await used({ total: 100 })).toBe(400);
    expect(await used({ total: 100 })).toBe(400);
    expect(await used({ total: 250 })).toBe(250);
    expect(await used({ total: 100 })).toBe(250);
    expect(await used({ total: 30, process: "two" })).toBe(220);
    expect(await used({ total: 20, series: series + 1 })).toBe(200);
    // Of the series before, and late.
    expect(await used({ total: 400 })).toBe(200);
    expect(await used({ total: 50, series: series + 1 })).toBe(170);
    expect(await used({ total: 99, day: TODAY + 1, series: series + 1 })).toBe(170);
  });

  test("takes and totals that are sent many times at once count once", async () => {
    const { ledger } = storage();
    const requests = Array.from({ length: 20 }, () => takeRequest({ limit: 1e6, perSecond: 1e6 }));
    for (const request of requests) {
      const grants = await Promise.all(
        [request, request, request].map((each) => ledger.take(each)),
      );
      expect(grants.map(({ granted }) => granted)).toEqual([500, 500, 500]);
    }
    const back = givenBack(700);
    await Promise.all([back, back, back].map((each) => ledger.giveBack(each)));
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 20 * 500 - 700, added: 0 });
  });
}

type Take = (over?: Partial<TakeRequest>) => Promise<Grant>;
const taker =
  (ledger: LedgerStore): Take =>
  (over = {}) =>
    ledger.take(takeRequest(over));

function balanceContract(storage: () => Storage): void {
  test("a lease is what is wanted while that is at most a sixteenth of the rest", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    const alone = { day: TODAY, waitMs: 0, shared: false };
    expect(await take({ limit: 8_000 })).toEqual({ ...alone, granted: 500, left: 7_500 });
    expect(await take({ limit: 8_000 })).toEqual({ ...alone, granted: 468, left: 7_032 });
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 968, added: 0 });
  });

  test("leases shrink to the call that waits, and the last credit can be spent", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    const grants: number[] = [];
    for (let grant = await take({ limit: 1_000 }); grant.granted > 0; ) {
      grants.push(grant.granted);
      grant = await take({ limit: 1_000 });
    }
    expect(grants).toEqual(new Array(12).fill(80));
    const small = { limit: 1_000, least: 40 };
    expect(await take({ ...small, least: 41 })).toMatchObject({ granted: 0, left: 40, waitMs: 0 });
    expect(await take(small)).toMatchObject({ granted: 40, left: 0 });
    expect(await take({ ...small, least: 1 })).toMatchObject({ granted: 0, left: 0, waitMs: 0 });
  });

  test("a check of the store changes no balance", async () => {
    const { ledger } = storage();
    await taker(ledger)();
    await ledger.check();
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 500, added: 0 });
  });

  test("what is given back can be taken again, and nothing becomes less than nothing", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    await take({ limit: 500, least: 500 });
    expect(await take({ limit: 500 })).toMatchObject({ granted: 0, left: 0 });
    await ledger.giveBack(givenBack(120));
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 380, added: 0 });
    expect(await take({ limit: 500 })).toMatchObject({ granted: 80, left: 40 });
    await ledger.giveBack(givenBack(10_000));
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 0, added: 0 });
    await ledger.giveBack(givenBack(5, { owner: "nobody" }));
    expect(await ledger.read("nobody", TODAY)).toEqual({ used: 0, added: 0 });
  });

  test("credits added to a day count in its rest, before and after its first lease", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    expect(await ledger.add("acc_1", TODAY, 1_000)).toEqual({ used: 0, added: 1_000 });
    expect(await take({ limit: 600 })).toMatchObject({ granted: 100, left: 1_500 });
    expect(await ledger.add("acc_1", TODAY, 2_000)).toEqual({ used: 100, added: 3_000 });
    expect(await take({ limit: 600 })).toMatchObject({ granted: 218, left: 3_282 });
    expect(await ledger.read("acc_1", TODAY + 1)).toEqual({ used: 0, added: 0 });
  });

  test("a limit that was lowered below what is used grants nothing and leaves nothing", async () => {
    const take = taker(storage().ledger);
    await take({ limit: 1_000, least: 900 });
    expect(await take({ limit: 500 })).toMatchObject({ granted: 0, left: 0, waitMs: 0 });
    expect(await take({ limit: 1_000 })).toMatchObject({ granted: 80, left: 20 });
  });

  test("owners do not share a balance", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    await take({ limit: 100, least: 100 });
    expect(await take({ limit: 100, owner: "key_1" })).toMatchObject({ granted: 80, left: 20 });
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 100, added: 0 });
  });

  test("amounts up to 2^53 - 1 are exact", async () => {
    const { ledger } = storage();
    const most = Number.MAX_SAFE_INTEGER;
    const grant = await ledger.take(takeRequest({ limit: most, want: most, least: most }));
    expect(grant).toMatchObject({ granted: most, left: 0 });
    await ledger.giveBack(givenBack(most - 1));
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 1, added: 0 });
  });

  test("takes that are in the air at once never overdraw, and leave nothing behind", async () => {
    const { ledger } = storage();
    const limit = 20_001;
    const takes = Array.from({ length: 400 }, (_, index) =>
      ledger.take(
        takeRequest({ limit, least: 1, process: `${index}`, perSecond: 1e9, now: NOON + index }),
      ),
    );
    const granted = (await Promise.all(takes)).reduce((sum, grant) => sum + grant.granted, 0);
    expect(granted).toBe(limit);
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: limit, added: 0 });
  });
}

function dayContract(storage: () => Storage): void {
  test("each day has its own balance, in whatever order days are taken from", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    await take({ limit: 500, least: 400 });
    const tomorrow = { limit: 500, day: TODAY + 1, now: NOON + 43_200_000 };
    expect(await take(tomorrow)).toMatchObject({ day: TODAY + 1, granted: 80, left: 420 });
    const back = await take({ limit: 500, now: NOON + 1 });
    expect(back).toMatchObject({ day: TODAY, granted: 80, left: 20 });
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 480, added: 0 });
    expect(await ledger.read("acc_1", TODAY + 1)).toEqual({ used: 80, added: 0 });
  });

  test("days of one pool share one balance, and each counts what the others used", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    const pooled = { limit: 1_000, pool: TODAY + 400, least: 300, want: 300 };
    await take({ ...pooled, pool: null });
    expect(await take({ ...pooled, day: TODAY + 400 })).toMatchObject({ granted: 300, left: 700 });
    expect(await take({ ...pooled, day: TODAY + 9 })).toMatchObject({ granted: 300, left: 400 });
    expect(await take({ ...pooled, day: TODAY + 400 })).toMatchObject({ granted: 300, left: 100 });
    expect(await take({ ...pooled, day: TODAY + 9 })).toMatchObject({ granted: 0, left: 100 });
    expect(await ledger.read("acc_1", TODAY + 9)).toEqual({ used: 900, added: 0 });
    expect(await ledger.add("acc_1", TODAY + 9, 250)).toEqual({ used: 900, added: 250 });
    expect(await take({ ...pooled, day: TODAY + 9 })).toMatchObject({ granted: 300, left: 50 });
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 300, added: 0 });
    expect(await take({ ...pooled, owner: "key_1" })).toMatchObject({ granted: 300, left: 700 });
  });

  test("a day keeps the pool that its first take named, and credits added before are no take", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    const asked = { limit: 1_000, least: 300, want: 300 };
    await take({ ...asked, day: TODAY + 1, pool: 7 });
    await ledger.add("acc_1", TODAY + 2, 50);
    await take({ ...asked, day: TODAY + 2, pool: 7 });
    await take({ ...asked, pool: null });
    expect(await take({ ...asked, day: TODAY + 2 })).toMatchObject({ granted: 300, left: 150 });
    expect(await take({ ...asked, pool: 7 })).toMatchObject({ granted: 300, left: 400 });
  });

  test("no more days than are spare have a balance of their own, whoever asks, and the first takes decide", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    const asked = { limit: 1_000, least: 300, want: 300, pool: 7 };
    const left = async (day: number, spare: number) =>
      (await take({ ...asked, day: TODAY + day, spare })).left;
    expect(await left(400, 1)).toBe(700);
    expect(await left(9, 1)).toBe(700);
    expect(await left(30, 1)).toBe(400);
    expect(await left(400, 0)).toBe(400);
    expect(await left(60, 2)).toBe(700);
    expect(await left(9, 2)).toBe(100);
    expect((await take({ ...asked, day: TODAY + 9, spare: 1, owner: "key_1" })).left).toBe(700);
    expect((await take({ ...asked, day: TODAY + 80, spare: 1, pool: 8 })).left).toBe(700);
  });

  test("a repair forgets later days, and gives the others balances of their own", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    const pooled = { limit: 1_000, pool: 7, least: 300, want: 300 };
    await take({ ...pooled, day: TODAY - 1 });
    await take(pooled);
    await take({ ...pooled, day: TODAY + 400 });
    await take({ ...pooled, day: TODAY + 1, owner: "key_1" });
    await take({ ...pooled, day: TODAY + 1, owner: "key_2" });
    expect(await ledger.repair(["acc_1", "key_1"], TODAY)).toEqual([
      { owner: "key_1", day: TODAY + 1, used: 300 },
      { owner: "acc_1", day: TODAY + 400, used: 300 },
    ]);
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 300, added: 0 });
    expect(await take(pooled)).toMatchObject({ granted: 300, left: 400 });
    expect(await ledger.read("key_2", TODAY + 1)).toEqual({ used: 300, added: 0 });
    expect(await ledger.repair(["acc_1"], TODAY)).toEqual([]);
  });

  test("what is given back of a day that is over goes to that day", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    await take();
    await take({ day: TODAY + 1, now: NOON + 43_200_000 });
    await ledger.giveBack(givenBack(200));
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 300, added: 0 });
    expect(await ledger.read("acc_1", TODAY + 1)).toEqual({ used: 500, added: 0 });
  });

  test("the sharing of a day that a wrong clock opened does not reach earlier days", async () => {
    const take = taker(storage().ledger);
    await take({ process: "two", day: TODAY + 400, now: NOON + 400 * 86_400_000 });
    await take({ process: "one" });
    expect(await take({ process: "two", now: NOON + 100 })).toMatchObject({ shared: true });
  });

  test("midnight gives several processes no second burst", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    const midnight = (TODAY + 1) * 86_400_000;
    await take({ now: midnight - 2 });
    await ledger.add("acc_1", TODAY + 1, 1_000);
    const after = await take({ now: midnight, day: TODAY + 1, process: "two" });
    expect(after).toMatchObject({ day: TODAY + 1, granted: 0, waitMs: 158, shared: true });
  });
}

function sharingContract(storage: () => Storage): void {
  test("one process is not held to the bucket", async () => {
    const take = taker(storage().ledger);
    for (let n = 0; n < 5; n += 1) {
      expect(await take({ now: NOON + n })).toMatchObject({ granted: 500, shared: false });
    }
  });

  test("a second process finds the bucket drawn, is told how long, and gets a tenth then", async () => {
    const take = taker(storage().ledger);
    await take();
    const two = { process: "two", now: NOON + 100 };
    expect(await take(two)).toMatchObject({ granted: 0, waitMs: 60, shared: true });
    expect(await take({ ...two, now: NOON + 159 })).toMatchObject({ granted: 0, waitMs: 1 });
    expect(await take({ ...two, now: NOON + 160 })).toMatchObject({ granted: 80, waitMs: 0 });
    const cheap = await take({ process: "two", least: 5, now: NOON + 1_160 });
    expect(cheap).toMatchObject({ granted: 50, shared: true });
  });

  test("however much one takes alone, another waits two seconds at most to join", async () => {
    const take = taker(storage().ledger);
    for (let n = 0; n < 20; n += 1) await take();
    const joining = { process: "two", least: 500 };
    expect(await take(joining)).toMatchObject({ granted: 0, waitMs: 2_000, shared: true });
  });

  test("where the throughput was lowered, what was drawn before is waited for seconds, not minutes", async () => {
    const take = taker(storage().ledger);
    const before = { perSecond: 40_000, want: 40_000 };
    for (const _ of [1, 2]) expect(await take(before)).toMatchObject({ granted: 40_000 });
    const slow = { process: "two", perSecond: 120, now: NOON };
    expect(await take(slow)).toMatchObject({ granted: 0, waitMs: 8_000, shared: true });
  });

  test("processes together get what a second gives and one burst, however they ask", async () => {
    const { ledger } = storage();
    let sum = 0;
    for (let ms = 0; ms < 10_000; ms += 10) {
      const process = ["one", "two", "three"][(ms / 10) % 3] ?? "";
      const grant = await ledger.take(takeRequest({ process, least: 5, now: NOON + ms }));
      sum += grant.granted;
    }
    expect(sum).toBeGreaterThan(5_000 - 50);
    expect(sum).toBeLessThanOrEqual(5_500);
  });

  test("two seconds after its last take another process counts no longer", async () => {
    const take = taker(storage().ledger);
    await take({ process: "one" });
    await take({ process: "two", now: NOON + 500 });
    expect(await take({ now: NOON + 2_499 })).toMatchObject({ shared: true });
    expect(await take({ now: NOON + 2_500 })).toMatchObject({ shared: false, granted: 500 });
  });

  test("a process that has ended leaves the row to the one that goes on", async () => {
    const take = taker(storage().ledger);
    await take({ process: "one" });
    expect(await take({ process: "two", now: NOON + 1_999 })).toMatchObject({ shared: true });
    await take({ process: "two", now: NOON + 2_000 });
    expect(await take({ process: "two", now: NOON + 4_000 })).toMatchObject({ shared: false });
  });

  test("a call dearer than a second's credits waits for the full bucket and takes it below zero", async () => {
    const take = taker(storage().ledger);
    await take({ now: NOON });
    const dear = { process: "two", least: 1_000, want: 1_000 };
    expect(await take({ ...dear, now: NOON + 400 })).toMatchObject({ granted: 0, waitMs: 600 });
    expect(await take({ ...dear, now: NOON + 1_000 })).toMatchObject({ granted: 1_000 });
    expect(await take({ now: NOON + 1_001 })).toMatchObject({ granted: 0, waitMs: 1_159 });
  });

  test("what is given back refills the bucket, and never above a second's credits", async () => {
    const { ledger } = storage();
    const take = taker(ledger);
    await take();
    await ledger.giveBack(givenBack(100));
    expect(await take({ process: "two" })).toMatchObject({ granted: 80, shared: true });
    for (let n = 0; n < 3; n += 1) await take({ now: NOON + 10_000 });
    await ledger.giveBack(givenBack(1_580));
    const rest = { process: "two", least: 500, want: 5_000, now: NOON + 10_000 };
    expect(await take(rest)).toMatchObject({ granted: 500 });
    expect(await take({ ...rest, least: 1 })).toMatchObject({ granted: 0, waitMs: 2 });
  });

  test("nothing is left of the balance: no wait is worth it", async () => {
    const take = taker(storage().ledger);
    await take({ limit: 500, least: 450 });
    const two = await take({ limit: 500, process: "two" });
    expect(two).toMatchObject({ granted: 0, left: 50, waitMs: 0, shared: true });
  });

  test("a request that waited for a lock refills nothing twice; a clock that was set starts anew", async () => {
    const take = taker(storage().ledger);
    const now = NOON + 5_000;
    await take({ now });
    const late = { process: "two", now: NOON };
    expect(await take(late)).toMatchObject({ granted: 0, waitMs: 160, shared: true });
    expect(await take({ process: "two", now: now + 1 })).toMatchObject({ waitMs: 159 });
    const set = { process: "two", now: now - 3_600_000 };
    expect(await take(set)).toMatchObject({ granted: 500, shared: false });
    expect(await take({ ...set, process: "one" })).toMatchObject({ shared: true, granted: 0 });
    expect(await take({ ...set, now: set.now + 160 })).toMatchObject({ granted: 0 });
  });
}

/** Of a store that may be away: a process keeps some credits for then. */
export function reserveContract(storage: () => Promise<Storage>): void {
  test("what is reserved beside a take is used once, a sixteenth of the rest at most, and not counted by the throughput", async () => {
    const { ledger, close } = await storage();
    onTestFinished(close);
    const request = takeRequest({ want: 80, limit: 16_080, reserve: 5000, unspent: 0 });
    const grant = await ledger.take(request);
    expect(grant).toMatchObject({ granted: 80, reserved: 1000, left: 15_000 });
    expect(await ledger.take(request)).toEqual(grant);
    expect(await ledger.read("acc_1", TODAY)).toEqual({ used: 1080, added: 0 });
    expect(await ledger.read("acc_1", TODAY, NOON + 100)).toEqual({ used: 0, added: 0 });
    const next = takeRequest({ want: 80, limit: 16_080, reserve: 100, process: "two" });
    expect(await ledger.take(next)).toMatchObject({ granted: 80, reserved: 100, shared: true });
    const none = takeRequest({ want: 80, limit: 1_000, reserve: 100 });
    expect(await ledger.take(none)).toMatchObject({ granted: 0, left: 0 });
    expect(await ledger.take(none)).not.toHaveProperty("reserved");
  });
}

/** Of a store of several machines: each process may have a share of the throughput. */
export function sharesContract(storage: () => Promise<Storage>): void {
  const ledgerOf = async (over: Partial<TakeRequest>) => {
    const { ledger, close } = await storage();
    onTestFinished(close);
    return (process: string, wanted: number | undefined, at = 0) =>
      ledger.take(takeRequest({ ...over, process, wanted, now: NOON + at }));
  };
  const MIDDLE = { perSecond: 40_000, limit: 3_000_000_000 };

  test("processes that draw together get shares in proportion to what they want, up to twice that, and nine tenths at most", async () => {
    const take = await ledgerOf(MIDDLE);
    expect(await take("one", 30_000)).not.toHaveProperty("share");
    expect(await take("two", 10_000)).toMatchObject({ shared: true, share: 9000 });
    expect(await take("one", 30_000, 10)).toMatchObject({ shared: true, share: 27_000 });
    expect(await take("two", 10_000, 20)).toMatchObject({ share: 9000 });
    // Twice what it wants leaves room for others.
    expect(await take("one", 3000, 1000)).toMatchObject({ share: 6000 });
    expect(await take("two", 10_000, 1010)).toMatchObject({ share: 20_000 });
    expect(await take("three", 1, 1020)).toMatchObject({ share: 2000 });
  });

  test("all shares are never above nine tenths: who joins waits until the others have told what they want", async () => {
    const take = await ledgerOf(MIDDLE);
    await take("one", 1);
    expect(await take("two", 40_000)).toMatchObject({ share: 35_999 });
    expect(await take("one", 40_000, 10)).not.toHaveProperty("share");
    expect(await take("two", 40_000, 1000)).toMatchObject({ share: 18_000 });
    expect(await take("one", 40_000, 1010)).toMatchObject({ share: 18_000 });
  });

  test("a share ends two seconds after the process took last, and goes to the others", async () => {
    const take = await ledgerOf(MIDDLE);
    await take("one", 20_000);
    expect(await take("two", 20_000)).toMatchObject({ share: 18_000 });
    expect(await take("three", 20_000, 1000)).toMatchObject({ share: 12_000 });
    expect(await take("one", 20_000, 1999)).toMatchObject({ share: 6000 });
    expect(await take("one", 20_000, 2000)).toMatchObject({ share: 18_000 });
  });

  test("what is given out as shares the row's bucket has less", async () => {
    const take = await ledgerOf({ ...MIDDLE, want: 4000, least: 80 });
    await take("one", 40_000);
    expect(await take("two", 40_000)).toMatchObject({ granted: 4000, share: 18_000 });
    expect(await take("one", 40_000)).toMatchObject({ granted: 4000, share: 18_000 });
    // A second of the 4,000 that are left; one of them was taken before it was so small.
    expect(await take("one", 40_000)).toMatchObject({ granted: 4000 });
    expect(await take("one", 40_000)).toMatchObject({ granted: 0, waitMs: 20 });
    expect(await take("two", 40_000, 500)).toMatchObject({ granted: 2000 });
  });

  test("there are none of a small throughput, for a process that does not tell, and while the row is owed for", async () => {
    const small = await ledgerOf({ perSecond: 4000, limit: 3_000_000_000 });
    await small("one", 4000);
    expect(await small("two", 4000)).not.toHaveProperty("share");
    const take = await ledgerOf({ ...MIDDLE, owner: "acc_2" });
    await take("one", 10_000);
    expect(await take("two", undefined)).not.toHaveProperty("share");
    const owed = await ledgerOf({ ...MIDDLE, owner: "acc_3", want: 60_000 });
    await owed("one", 10_000);
    expect(await owed("two", 10_000)).not.toHaveProperty("share");
    expect(await owed("two", 10_000, 1100)).toHaveProperty("share");
  });

  test("a take that is asked again has its share anew, and one that comes late has none", async () => {
    const { ledger, close } = await storage();
    onTestFinished(close);
    await ledger.take(takeRequest({ ...MIDDLE, process: "two", wanted: 10_000 }));
    const early = takeRequest({ ...MIDDLE, wanted: 10_000 });
    const grant = await ledger.take(early);
    expect(grant).toMatchObject({ share: 18_000 });
    expect(await ledger.take({ ...early, wanted: 2000, now: NOON + 1000 })).toEqual({
      ...grant,
      share: 4000,
    });
    await ledger.take(takeRequest({ ...MIDDLE, wanted: 10_000, now: NOON + 1000 }));
    expect(await ledger.take({ ...early, now: NOON + 1100 })).not.toHaveProperty("share");
  });
}
