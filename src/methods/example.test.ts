import { describe, expect, test } from "vitest";
import { JsonReader } from "../jsonrpc/json-reader.ts";
import { checkParams } from "./check-params.ts";
import { exampleOf } from "./example.ts";
import { FAMILIES } from "./families.ts";

/** What only the caller can know: ids that were given to them. */
const WITHOUT = {
  evm: ["eth_unsubscribe", "eth_getFilterChanges", "eth_getFilterLogs", "eth_uninstallFilter"],
  slot: ["account", "block", "logs", "program", "root", "signature", "slot"].map(
    (kind) => `${kind}Unsubscribe`,
  ),
};

describe.each(["evm", "slot"] as const)("of a network of the family %s", (family) => {
  const { methods, wording } = FAMILIES[family];

  test("every method has an example but those whose params only the caller knows", () => {
    const without = methods.filter(({ params }) => exampleOf(params) === undefined);
    expect(without.map(({ method }) => method).toSorted()).toEqual([...WITHOUT[family]].toSorted());
  });

  test.each(methods.filter(({ params }) => exampleOf(params) !== undefined))(
    "the example of $method is right, however strictly it is read",
    (definition) => {
      const text = JSON.stringify(exampleOf(definition.params));
      const value = new JsonReader(Buffer.from(text)).value(1);
      const choices = { strict: true, unknownKeys: "refuse", wording } as const;
      expect(() => checkParams(definition, value, choices)).not.toThrow();
    },
  );
});
