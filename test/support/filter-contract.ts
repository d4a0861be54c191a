import { expect, test } from "vitest";
import { FILTER_MS, type StoredFilter } from "../../src/storage/filter-store.ts";
import type { Storage } from "../../src/storage/store.ts";

export const storedFilter = (over: Partial<StoredFilter> = {}): StoredFilter => ({
  id: "0x01",
  keyId: "key_1",
  network: "mainnet",
  criteria: '["logs",{"topics":[null,"\\u00e9"]}]',
  place: "5.aa",
  ...over,
});

/** What an adapter owes of the filters of clients. */
export function filterContract(storage: () => Storage): void {
  const now = 1_700_000_000_000;

  test("a filter is found as it was made, by its id alone", async () => {
    const { filters } = storage();
    expect(await filters.insert(storedFilter(), 2, now)).toBe(true);
    expect({ ...(await filters.find("0x01", now + 1)) }).toEqual({
      ...storedFilter(),
      usedAt: now,
    });
    expect(await filters.find("0x02", now)).toBeUndefined();
  });

  test("a key has no more filters than it may, and one again when one is removed", async () => {
    const { filters } = storage();
    const made = (id: string, keyId = "key_1") =>
      filters.insert(storedFilter({ id, keyId }), 2, now);
    expect(await made("0x01")).toBe(true);
    expect(await made("0x02")).toBe(true);
    expect(await made("0x03")).toBe(false);
    expect(await filters.find("0x03", now)).toBeUndefined();
    expect(await made("0x04", "key_2")).toBe(true);
    expect(await filters.remove("0x01", "key_2", now)).toBe(false);
    expect(await filters.remove("0x01", "key_1", now)).toBe(true);
    expect(await filters.remove("0x01", "key_1", now)).toBe(false);
    expect(await made("0x03")).toBe(true);
  });

  test("of several moves from one place one is made, and the same move again counts as made", async () => {
    const { filters } = storage();
    await filters.insert(storedFilter(), 1, now);
    const moves = Array.from({ length: 5 }, (_, at) => ({
      ...{ id: "0x01", from: "5.aa", to: `${6 + at}.bb`, move: `move ${at}` },
    }));
    const made = await Promise.all(moves.map((move) => filters.move(move, now + 7)));
    expect(made.filter((isMade) => isMade)).toHaveLength(1);
    const [one] = moves.filter((_, at) => made[at]);
    const found = await filters.find("0x01", now + 7);
    expect({ ...found }).toMatchObject({ place: one?.to, usedAt: now + 7 });
    expect(await Promise.all(moves.map((move) => filters.move(move, now + 8)))).toEqual(made);
    expect(await filters.move({ id: "0x02", from: "5.aa", to: "6.bb", move: "x" }, now)).toBe(
      false,
    );
  });

  test("a filter that was not used for five minutes is gone, and one that was used is not", async () => {
    const { filters } = storage();
    await filters.insert(storedFilter(), 2, now);
    await filters.insert(storedFilter({ id: "0x02" }), 2, now);
    const soon = now + FILTER_MS - 1;
    expect(await filters.move({ id: "0x02", from: "5.aa", to: "5.aa", move: "m" }, soon)).toBe(
      true,
    );
    const then = now + FILTER_MS;
    expect(await filters.find("0x01", then)).toBeUndefined();
    expect(await filters.move({ id: "0x01", from: "5.aa", to: "6.bb", move: "n" }, then)).toBe(
      false,
    );
    expect(await filters.remove("0x01", "key_1", then)).toBe(false);
    expect(await filters.find("0x02", then)).toBeDefined();
    expect(await filters.insert(storedFilter({ id: "0x03" }), 2, then)).toBe(true);
    expect(await filters.insert(storedFilter({ id: "0x04" }), 2, then)).toBe(false);
  });
}
