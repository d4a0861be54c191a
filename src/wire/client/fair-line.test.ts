import fc from "fast-check";
import { expect, test } from "vitest";
import { type Exchange, ToldExchange } from "./exchange.ts";
import { FairLine } from "./fair-line.ts";

const exchangeOf = (account?: string, key = "k"): Exchange =>
  new ToldExchange({ request: "", maxBytes: 1, timeoutMs: 1, account, key }, () => undefined);
const namesIn = (line: FairLine): string[] => {
  const names: string[] = [];
  for (let next = line.shift(); next !== undefined; next = line.shift()) {
    names.push(next.account === undefined ? "own" : `${next.account} ${next.key}`);
  }
  return names;
};

test("own questions go first, then accounts take turns, and their keys", () => {
  const line = new FairLine();
  for (let call = 0; call < 3; call += 1) line.push(exchangeOf("a", "1"));
  line.push(exchangeOf("a", "2"));
  line.push(exchangeOf("b"));
  line.push(exchangeOf());
  expect(line.ahead("a")).toBe(6);
  expect(line.ahead("b")).toBe(3);
  expect(line.ahead("c")).toBe(2);
  expect(namesIn(line)).toEqual(["own", "a 1", "b k", "a 2", "a 1", "a 1"]);
});

test("who begins to wait goes before those that were served, and who comes back takes its turn", () => {
  const line = new FairLine();
  for (let call = 0; call < 4; call += 1) line.push(exchangeOf("a"));
  expect(line.shift()?.account).toBe("a");
  line.push(exchangeOf("b"));
  line.push(exchangeOf("c"));
  expect(line.ahead("d")).toBe(2);
  expect(line.shift()?.account).toBe("b");
  line.push(exchangeOf("b"));
  expect(namesIn(line)).toEqual(["c k", "a k", "b k", "a k", "a k"]);
});

test("where it is full the last of who waits most goes, and nobody for one who waits as much", () => {
  const line = new FairLine();
  const heavy = Array.from({ length: 4 }, (_, call) => exchangeOf("a", call < 3 ? "1" : "2"));
  for (const each of heavy) line.push(each);
  line.push(exchangeOf("b"));
  expect(line.popHeavier("a")).toBeUndefined();
  expect(line.popHeavier("c")).toBe(heavy[2]);
  expect(line.popHeavier("b")).toBe(heavy[1]);
  expect(line.popHeavier("b")).toBeUndefined();
  expect(namesIn(line)).toEqual(["a 1", "b k", "a 2"]);
});

test("an account that may not be served keeps its turn, and others go before it", () => {
  const line = new FairLine();
  for (let call = 0; call < 2; call += 1) line.push(exchangeOf("a"));
  for (const account of ["b", "b", "c"]) line.push(exchangeOf(account));
  const notA = (account: string) => account !== "a";
  const served = () => line.shift(notA)?.account;
  expect([served(), served(), served(), served()]).toEqual(["b", "c", "b", undefined]);
  line.push(exchangeOf("b"));
  expect(namesIn(line)).toEqual(["a k", "b k", "a k"]);
});

const act = fc.record({
  kind: fc.constantFrom("push", "shift", "others", "delete", "own", "pop"),
  account: fc.constantFrom(undefined, "a", "b", "c"),
  key: fc.constantFrom("1", "2"),
  which: fc.nat(20),
});

test("whatever comes and goes, each comes out once or is deleted, and the size is right", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 80 }), (acts) => {
      const line = new FairLine();
      const waiting = new Set<Exchange>();
      const leave = (exchange: Exchange | undefined) => {
        if (exchange === undefined) return;
        expect(waiting.delete(exchange)).toBe(true);
      };
      for (const { kind, account, key, which } of acts) {
        if (kind === "push") {
          const made = exchangeOf(account, key);
          waiting.add(made);
          line.push(made);
        } else if (kind === "shift") leave(line.shift());
        else if (kind === "others") leave(line.shift((other) => other !== account));
        else if (kind === "own") leave(line.shiftOwn());
        else if (kind === "pop") leave(line.popHeavier(account ?? "a"));
        else {
          const found = [...waiting][which];
          if (found === undefined) continue;
          line.delete(found);
          line.delete(found);
          waiting.delete(found);
        }
        expect(line.size).toBe(waiting.size);
        expect(line.first === undefined).toBe(waiting.size === 0);
      }
      expect(namesIn(line)).toHaveLength(waiting.size);
    }),
  );
});
