import { expect, test } from "vitest";
import { BUILT_IN_PLANS } from "../config/plans.ts";
import { EVM_METHODS, SLOT_METHODS } from "../methods/registry.ts";
import { DEAREST_CALL_CREDITS } from "../storage/ledger-store.ts";
import { leaseSizes } from "./lease.ts";
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

const PLANS_OF_ALL_SIZES = [
  [200_000_000, 40_000],
  [1_000_000, 40_000],
  [900, 500],
  [5, 1],
] as const;

test("a lease is at most a second of throughput or 1 % of the day, but at least the dearest call", () => {
  const bound = (perDay: number, perSecond: number) =>
    leaseSizes({ perDay, perSecond, shared: false, spent: undefined }).bound;
  expect(bound(200_000_000, 40_000)).toBe(40_000);
  expect(bound(1_000_000, 40_000)).toBe(10_000);
  expect(bound(3_000_000, 500)).toBe(1000);
  for (const shared of [true, false]) {
    for (const [perDay, perSecond] of PLANS_OF_ALL_SIZES) {
      const sizes = leaseSizes({ perDay, perSecond, shared, spent: undefined });
      expect(sizes.size).toBeGreaterThanOrEqual(1);
      expect(sizes.size).toBeLessThanOrEqual(sizes.bound);
      expect(sizes.reserve).toBe(0);
    }
  }
});

test("over a network it is what was spent of late, at least 1,000 and at most 1 % of the day, unless others draw, too", () => {
  const size = (spent: number, shared = false) =>
    leaseSizes({ perDay: 200_000_000, perSecond: 2000, shared, spent }).size;
  expect(size(0)).toBe(1000);
  expect(size(70_000)).toBe(70_000);
  expect(size(3_000_000)).toBe(2_000_000);
  expect(size(70_000, true)).toBe(125);
  for (const spent of [0, 100, 20_000, 10_000_000]) {
    for (const [perDay, perSecond] of PLANS_OF_ALL_SIZES) {
      for (const shared of [true, false]) {
        const sizes = leaseSizes({ perDay, perSecond, shared, spent });
        expect(sizes.bound).toBeLessThanOrEqual(Math.max(1000, perDay / 100));
        expect(sizes.size + sizes.reserve).toBeLessThanOrEqual(sizes.bound);
      }
    }
  }
});

test("beside others a process reserves what it would lease alone, at most three quarters of 1 % of the day", () => {
  const reserve = (spent: number, { perDay = 200_000_000, shared = true } = {}) =>
    leaseSizes({ perDay, perSecond: 2000, shared, spent }).reserve;
  expect(reserve(0)).toBe(1000);
  expect(reserve(70_000)).toBe(70_000);
  expect(reserve(10_000_000)).toBe(1_500_000);
  expect(reserve(70_000, { shared: false })).toBe(0);
  expect(reserve(70_000, { perDay: 700_000 })).toBe(0);
});
