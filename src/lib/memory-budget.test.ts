import fc from "fast-check";
import { expect, test } from "vitest";
import { type Holding, MemoryBudget } from "./memory-budget.ts";

const LIMIT = 1000;

test("who holds most loses its largest holding first, and others keep theirs", () => {
  const budget = new MemoryBudget(LIMIT);
  const lost: string[] = [];
  const open = (owner: string, name: string) => budget.open(owner, () => lost.push(name));
  const heavy = [open("heavy", "heavy 0"), open("heavy", "heavy 1"), open("heavy", "heavy 2")];
  open("light", "light").set(350);
  heavy[0]?.set(150);
  heavy[1]?.set(300);
  expect(lost).toEqual([]);
  heavy[2]?.set(250);
  expect(lost).toEqual(["heavy 1"]);
  expect(budget.bytes).toBe(750);
  expect(budget.refused).toBe(1);
});

test("memory that several hold counts once in all, and for each owner", () => {
  const budget = new MemoryBudget(LIMIT);
  const lost: string[] = [];
  const answer = new ArrayBuffer(600);
  const holdings = ["a", "b", "c"].map((owner) => budget.open(owner, () => lost.push(owner)));
  for (const holding of holdings) holding.share(answer);
  expect(budget.bytes).toBe(600);
  expect(holdings.map(({ bytes }) => bytes)).toEqual([600, 600, 600]);
  holdings[0]?.clear();
  holdings[1]?.close();
  expect(budget.bytes).toBe(600);
  holdings[2]?.clear();
  expect(budget.bytes).toBe(0);
  expect(lost).toEqual([]);
});

test("what is counted after a holding was closed counts for nothing", () => {
  const budget = new MemoryBudget(LIMIT);
  const holding = budget.open("a", () => undefined);
  holding.close();
  holding.set(10);
  holding.share(new ArrayBuffer(10));
  holding.setOwner("b");
  expect(budget.bytes).toBe(0);
});

const step = fc.oneof(
  fc.record({ act: fc.constant("set" as const), bytes: fc.nat(300) }),
  fc.record({ act: fc.constant("share" as const), memory: fc.nat(4) }),
  fc.record({ act: fc.constant("owner" as const), owner: fc.nat(3) }),
  fc.record({ act: fc.constant("clear" as const) }),
  fc.record({ act: fc.constant("close" as const) }),
);

test("whatever is held and let go, the sum is that of the holdings and never stays above the limit", () => {
  const memories = [100, 200, 300, 400, 500].map((bytes) => new ArrayBuffer(bytes));
  const steps = fc.array(fc.record({ which: fc.nat(5), step }), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const budget = new MemoryBudget(LIMIT);
      const own = Array.from({ length: 6 }, () => 0);
      const common = Array.from({ length: 6 }, () => new Set<ArrayBuffer>());
      const holdings: Holding[] = own.map((_, which) =>
        budget.open("0", () => {
          own[which] = 0;
          common[which]?.clear();
        }),
      );
      const closed = new Set<number>();
      for (const { which, step: one } of all) {
        const holding = holdings[which];
        const isOpen = !closed.has(which);
        if (one.act === "set") {
          if (isOpen) own[which] = one.bytes;
          holding?.set(one.bytes);
        } else if (one.act === "share") {
          const memory = memories[one.memory] ?? new ArrayBuffer(0);
          if (isOpen) common[which]?.add(memory);
          holding?.share(memory);
        } else if (one.act === "owner") holding?.setOwner(String(one.owner));
        else {
          own[which] = 0;
          common[which]?.clear();
          if (one.act === "close") closed.add(which);
          holding?.[one.act]();
        }
        let bytes = own.reduce((sum, each) => sum + each, 0);
        const held = new Set(common.flatMap((each) => [...each]));
        for (const { byteLength } of held) bytes += byteLength;
        expect(budget.bytes).toBe(bytes);
        expect(bytes).toBeLessThanOrEqual(LIMIT);
      }
    }),
  );
});
