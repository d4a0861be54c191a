import { expect, test } from "vitest";
import { AUDIT_ACTIONS } from "../../../../src/access/audit-entry.ts";
import { describeAction } from "./actions.ts";

test("every action that is written down has words for people", () => {
  const wordless = AUDIT_ACTIONS.filter((action) => describeAction(action) === action);
  expect(wordless).toEqual([]);
});

test("an action of a newer server stands as it came", () => {
  expect(describeAction("key.sing")).toBe("key.sing");
});
