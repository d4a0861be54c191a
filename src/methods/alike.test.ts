import { expect, test } from "vitest";
import { FAMILIES } from "./families.ts";
import { OWN_METHODS } from "./own.ts";
import { EVM_METHODS, SLOT_METHODS } from "./registry.ts";

const WRITTEN = { evm: [...EVM_METHODS, ...OWN_METHODS], slot: [...SLOT_METHODS, ...OWN_METHODS] };

function served(family: keyof typeof WRITTEN, method: string) {
  const definition = FAMILIES[family].lookUp(method);
  if (definition === undefined) throw new Error(`${method} is not served`);
  return definition;
}

test("calls of all methods go by definitions with the same members in the same order", () => {
  const all = (["evm", "slot"] as const).flatMap((family) =>
    WRITTEN[family].map(({ method }) => served(family, method)),
  );
  const orders = (items: readonly object[]) =>
    new Set(items.map((item) => Object.keys(item).join()));
  expect(orders(all).size).toBe(1);
  expect(orders(all.flatMap(({ params }) => params)).size).toBe(1);
  for (const definition of all) {
    expect([definition, ...definition.params].every(Object.isFrozen)).toBe(true);
  }
});
