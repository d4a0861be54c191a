import { expect, test } from "vitest";
import { MOST_KEYS_TOLD } from "../storage/fleet-store.ts";
import { openByKey, openWith } from "./open-by-key.ts";

test("what processes have open with a key is added up, and nothing is none", () => {
  const one = openByKey(new Map([["a", 2]]), new Map([["a", 5]]));
  const other = openByKey(
    new Map([
      ["a", 1],
      ["b", 1],
    ]),
    new Map(),
  );
  const all = [{ open: one }, { open: other }];
  expect(openWith("a", all)).toEqual({ sockets: 3, subscriptions: 5 });
  expect(openWith("b", all)).toEqual({ sockets: 1, subscriptions: 0 });
  expect(openWith("c", all)).toEqual({ sockets: 0, subscriptions: 0 });
});

test("of more keys than are told, those with most stay", () => {
  const sockets = new Map(Array.from({ length: MOST_KEYS_TOLD + 1 }, (_, at) => [`k${at}`, 1]));
  const told = openByKey(sockets, new Map([[`k${MOST_KEYS_TOLD}`, 9]]));
  expect(Object.keys(told)).toHaveLength(MOST_KEYS_TOLD);
  expect(told).toHaveProperty(`k${MOST_KEYS_TOLD}`);
});
