import { expect, test } from "vitest";
import type { LeaseJournal } from "../storage/lease-journal.ts";
import { CreditReturns } from "./credit-returns.ts";
import { OpenLease } from "./open-lease.ts";
import { StoreHealth } from "./store-health.ts";

const DAY_MS = 86_400_000;
const TODAY = 20_000;
const FIGURES = { perDay: 1_000_000, perSecond: 1000, shared: false };

const granted = (day: number, credits: number) => ({
  ...{ day, granted: credits, left: 0, waitMs: 0, shared: false },
});

/** An owner's lease, and in order what was written of it and what the store was asked. */
function leaseWithJournal() {
  const said: string[] = [];
  const journal = {
    generation: 1,
    note: ({ day, total }) => said.push(`note ${day}: ${total}`),
    asked: ({ number }) => said.push(`asked ${number}`),
    answered: ({ day, total }) => said.push(`answered ${day}: ${total}`),
    drop: (_owner, day) => said.push(`drop ${day}`),
  } satisfies LeaseJournal;
  const time = { ms: 1000 };
  const clock = { now: () => TODAY * DAY_MS, monotonic: () => time.ms };
  let number = 0;
  const returns = new CreditReturns({
    ...{ process: "own", isRemote: true, health: new StoreHealth(() => undefined, clock) },
    nextNumber: () => {
      number += 1;
      return number;
    },
    store: {
      giveBack: async ({ day, total }) => {
        said.push(`give back ${day}: ${total}`);
      },
    },
    onIdle: () => undefined,
  });
  const onReturned = () => undefined;
  const lease = new OpenLease("acc", { returns, clock, journal, isRemote: true, onReturned });
  lease.measure(FIGURES);
  return { lease, journal, said, time };
}

test("a grant of another day is noted as answered before it goes back, so that its take is not asked again", async () => {
  const { lease, said } = leaseWithJournal();
  lease.deposit(granted(TODAY - 1, 50), TODAY);
  expect(said).toEqual([`answered ${TODAY - 1}: 50`, `give back ${TODAY - 1}: 50`]);
  await undefined;
  await undefined;
  expect(said.at(-1)).toBe(`drop ${TODAY - 1}`);
});

test("what a call of a day that has ended did not cost is noted before it goes back", async () => {
  const { lease, said } = leaseWithJournal();
  lease.deposit(granted(TODAY, 1000), TODAY);
  const yesterdays = lease.hold(300);
  lease.deposit(granted(TODAY + 1, 500), TODAY + 1);
  said.splice(0);
  lease.putBack(yesterdays, 300);
  expect(said[0]).toBe(`note ${TODAY}: 1000`);
  for (let turns = 0; turns < 5; turns += 1) await undefined;
  expect(said).toContain(`give back ${TODAY}: 1000`);
});

test("a note comes before calls spend what the last one counted as unspent, and leaves a tenth of a second's", () => {
  const { lease, said, time } = leaseWithJournal();
  lease.deposit(granted(TODAY, 1000), TODAY);
  expect(said.splice(0)).toEqual([`answered ${TODAY}: 1000`]);
  // 100 credits a second.
  for (let call = 0; call < 60; call += 1) {
    time.ms += 50;
    lease.hold(5);
    const [, noted] = /: (\d+)$/.exec(said.at(-1) ?? "") ?? [];
    expect(Number(noted ?? 1000)).toBeLessThanOrEqual(lease.current.left);
    expect(lease.current.left - Number(noted ?? 1000)).toBeLessThanOrEqual(10);
  }
  expect(said.length).toBeLessThan(60);
});

test("what is on its way back to a store that does not answer is noted, too", () => {
  const { lease, said, time } = leaseWithJournal();
  lease.deposit(granted(TODAY, 50_000), TODAY);
  const { current } = lease;
  for (let call = 0; call < 100; call += 1) {
    time.ms += 100;
    lease.hold(500);
  }
  said.splice(0);
  // All but four cost nothing in the end, and are more than may lie open beside those.
  lease.held -= 48_000;
  lease.putBack(current, 48_000);
  lease.limit(0, 0);
  expect(said.splice(0)).toEqual([expect.stringMatching(/^give back/)]);
  lease.tick(TODAY * DAY_MS);
  const [, noted] = /^note \d+: (\d+)$/.exec(said[0] ?? "") ?? [];
  expect(Number(noted)).toBeGreaterThan(47_000);
});

test("after the journal was lost all that is open is noted again", () => {
  const { lease, journal, said } = leaseWithJournal();
  lease.deposit(granted(TODAY, 1000), TODAY);
  said.splice(0);
  lease.tick(TODAY * DAY_MS);
  expect(said).toEqual([]);
  journal.generation += 1;
  lease.tick(TODAY * DAY_MS);
  expect(said.splice(0)).toEqual([`note ${TODAY}: 1000`]);
  lease.tick(TODAY * DAY_MS);
  expect(said).toEqual([]);
});
