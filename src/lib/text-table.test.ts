import fc from "fast-check";
import { expect, test } from "vitest";
import { textHash } from "./text-hash.ts";
import { TextTable } from "./text-table.ts";

type Item = {
  readonly key: string;
  readonly hash: number;
  readonly number: number;
  nextInTable: Item | undefined;
};

const item = (number: number, key: string, hash = textHash(key)): Item => ({
  ...{ key, hash, number },
  nextInTable: undefined,
});

test("finds of each key the item that came last and was not removed, also where hashes are alike", () => {
  const step = fc.record({ key: fc.integer({ min: 0, max: 40 }), removes: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 300 }),
      fc.integer({ min: 1, max: 5 }),
      (steps, hashes) => {
        const table = new TextTable<Item>();
        const model: Item[] = [];
        const hashOf = (key: number) => 1 + 1024 * (key % hashes);
        const last = (key: string) => model.findLast((one) => one.key === key);
        for (const [number, { key, removes }] of steps.entries()) {
          const known = last(String(key));
          if (removes && known !== undefined) {
            table.remove(known);
            model.splice(model.indexOf(known), 1);
          } else {
            const added = item(number, String(key), hashOf(key));
            table.add(added);
            model.push(added);
          }
          expect(table.find(String(key), hashOf(key))).toBe(last(String(key)));
          expect(table.size).toBe(model.length);
        }
      },
    ),
  );
});

test("finds everything again once it has grown, the newest of a key first", () => {
  const table = new TextTable<Item>();
  const items = Array.from({ length: 20_000 }, (_, number) =>
    item(number, `key ${number % 15_000}`),
  );
  for (const one of items) table.add(one);
  for (const one of items.slice(5_000)) expect(table.find(one.key, one.hash)).toBe(one);
  for (const one of items.slice(15_000)) table.remove(one);
  for (const one of items.slice(0, 15_000)) expect(table.find(one.key, one.hash)).toBe(one);
});
