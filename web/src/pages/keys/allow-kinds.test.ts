import { expect, test } from "vitest";
import { ALLOW_KINDS } from "../../../../src/storage/store.ts";
import { KINDS, listKinds } from "./allow-kinds.ts";

test("every kind of allow-list can be edited", () => {
  expect(KINDS.map(({ kind }) => kind).toSorted()).toEqual([...ALLOW_KINDS].toSorted());
});

test("empty lists are not listed", () => {
  expect(listKinds({ network: [], ip: ["10.0.0.0/8"] }).map(({ kind }) => kind)).toEqual(["ip"]);
});
