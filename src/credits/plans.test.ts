import { expect, test } from "vitest";
import { BUILT_IN_PLANS } from "../config/plans.ts";
import { EVM_METHODS, SLOT_METHODS } from "../methods/registry.ts";
import { DEAREST_CALL_CREDITS } from "../storage/ledger-store.ts";
import { leaseBound, leaseSize } from "./lease.ts";
import { type CreditIdentity, Plans } from "./plans.ts";

const plans = new Plans(BUILT_IN_PLANS);
const NONE = { creditsPerDay: null, creditsPerSecond: null };

function identity(changes: Partial<CreditIdentity>): CreditIdentity {
  const plain = { keyId: "key", accountId: "account", plan: "free" };
  return { ...plain, accountLimits: NONE, keyLimits: NONE, ...changes };
}

test("an account's own limits stand in place of its plan's, each by itself", () => {
  const of = (changes: Partial<CreditIdentity>) => plans.ofAccount(identity(changes));
  expect(of({})).toMatchObject({ perDay: 3_000_000, perSecond: 500 });
  expect(of({ plan: "growth" })).toMatchObject({ perDay: 200_000_000, perSecond: 40_000 });
  const daily = { creditsPerDay: 700, creditsPerSecond: null };
  expect(of({ accountLimits: daily })).toMatchObject({ perDay: 700, perSecond: 500 });
  const both = { creditsPerDay: 700, creditsPerSecond: 90 };
  expect(of({ plan: "custom", accountLimits: both })).toMatchObject({ perDay: 700, perSecond: 90 });
});

test("a plan that is not configured any more grants nothing, and the refusal says so", () => {
  for (const plan of ["gone", "constructor", "__proto__"]) {
    const account = identity({ plan });
    expect(plans.ofAccount(account)).toMatchObject({ perDay: 0, perSecond: 0 });
    expect(plans.fault(account)).toContain("not configured");
  }
  expect(plans.fault(identity({ plan: "custom" }))).toContain("sets limits");
  expect(plans.fault(identity({}))).toBeUndefined();
});

test("a key without limits of its own has no row of the ledger", () => {
  const figures = plans.ofAccount(identity({}));
  expect(plans.ofKey(identity({}), figures)).toBeUndefined();
  const keyLimits = { creditsPerDay: 1000, creditsPerSecond: null };
  const expected = { perDay: 1000, perSecond: null, accountPerSecond: 500 };
  expect(plans.ofKey(identity({ keyLimits }), figures)).toEqual(expected);
});

test("no method costs more than the least that a lease may hold", () => {
  const dearest = Math.max(...[...EVM_METHODS, ...SLOT_METHODS].map(({ credits }) => credits));
  expect(dearest).toBeLessThanOrEqual(DEAREST_CALL_CREDITS);
});

test("a lease is at most a second of throughput or 1 % of the day, but at least the dearest call", () => {
  expect(leaseBound(200_000_000, 40_000)).toBe(40_000);
  expect(leaseBound(1_000_000, 40_000)).toBe(10_000);
  expect(leaseBound(3_000_000, 500)).toBe(1000);
  for (const shared of [true, false]) {
    for (const [perDay, perSecond] of [
      [200_000_000, 40_000],
      [1_000_000, 40_000],
      [900, 500],
      [5, 1],
    ] as const) {
      const size = leaseSize(perDay, perSecond, shared);
      expect(size).toBeGreaterThanOrEqual(1);
      expect(size).toBeLessThanOrEqual(leaseBound(perDay, perSecond));
    }
  }
});
