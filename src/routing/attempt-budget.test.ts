import fc from "fast-check";
import { expect, test } from "vitest";
import { AttemptBudget } from "./attempt-budget.ts";

test("after ten at once, ten calls at a share of 0.1 are one hedge", () => {
  const budget = new AttemptBudget(0.1);
  for (let n = 0; n < 10; n += 1) expect(budget.tryTake()).toBe(true);
  for (let n = 0; n < 9; n += 1) budget.called();
  expect(budget.tryTake()).toBe(false);
  budget.called();
  expect(budget.tryTake()).toBe(true);
  expect(budget.tryTake()).toBe(false);
});

test("a share of 0 allows none, not even at first", () => {
  const budget = new AttemptBudget(0);
  for (let n = 0; n < 1000; n += 1) budget.called();
  expect(budget.tryTake()).toBe(false);
});

test("what is not used is saved up for ten hedges, however long it takes", () => {
  const budget = new AttemptBudget(0.5);
  for (let n = 0; n < 1000; n += 1) budget.called();
  const taken = Array.from({ length: 20 }, () => budget.tryTake()).filter(Boolean);
  expect(taken).toHaveLength(10);
});

test("from any moment on there are no more hedges than the share of the calls, and ten", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.001, max: 1, noNaN: true }),
      fc.array(fc.boolean(), { maxLength: 400 }),
      (share, wishes) => {
        const budget = new AttemptBudget(share);
        let room = 10;
        for (const wished of wishes) {
          budget.called();
          room = Math.min(room + share, 10);
          const taken = wished && budget.tryTake();
          if (wished && room >= 1.001) expect(taken).toBe(true);
          if (taken) room -= 1;
          expect(room).toBeGreaterThanOrEqual(-0.001);
        }
      },
    ),
  );
});
