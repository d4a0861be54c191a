import fc from "fast-check";
import { expect, test } from "vitest";
import { ERRORS } from "../../../src/jsonrpc/errors.ts";
import { looksOf } from "./series-looks.ts";

const name = fc.oneof(
  fc.constantFrom("eth_call", "eth_getLogs", "getSlot", "key_1", "mainnet", "other"),
  fc.string({ minLength: 1 }),
);
const names = fc.uniqueArray(name, { maxLength: 13 });
const textOf = (look: unknown) => JSON.stringify(look);

test.each(["light", "dark"] as const)(
  "series of a chart look unlike each other, and alike in whatever order they come: %s",
  (theme) => {
    fc.assert(
      fc.property(names, fc.func(fc.integer()), (some, order) => {
        const looks = looksOf(theme, some, "name");
        const others = some.filter((each) => each !== "other").slice(0, 12);
        const few = looksOf(theme, others, "name");
        expect(new Set([...few.values()].map(textOf)).size).toBe(others.length);
        const sorted = some.toSorted((a, b) => order(a, b));
        expect(looksOf(theme, sorted, "name")).toEqual(
          new Map(sorted.map((s) => [s, looks.get(s)])),
        );
      }),
    );
  },
);

test("methods that are called most keep their colours, whatever stands beside them", () => {
  const alone = looksOf("light", ["eth_getLogs"], "name").get("eth_getLogs");
  fc.assert(
    fc.property(names, (some) => {
      const beside = [...new Set([...some, "eth_getLogs"])];
      expect(looksOf("light", beside, "name").get("eth_getLogs")).toEqual(alone);
    }),
  );
});

test.each(["light", "dark"] as const)(
  "failures are red, and answers and reverts are not: %s",
  (theme) => {
    const outcomes = ["ok", "partner", ...Object.keys(ERRORS)];
    const looks = looksOf(theme, outcomes, "outcome");
    const reds = outcomes.filter((outcome) => isRed(looks.get(outcome)?.colour ?? ""));
    const answered = ["ok", "partner", "revert", "execution_failed"];
    expect(reds).toEqual(outcomes.filter((outcome) => !answered.includes(outcome)));
    expect(new Set(answered.map((outcome) => textOf(looks.get(outcome)))).size).toBe(4);
  },
);

function isRed(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(colour.slice(at, at + 2), 16),
  );
  return red > 2 * green && red > 2 * blue;
}
