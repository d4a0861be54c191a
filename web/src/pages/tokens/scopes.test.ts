import { expect, test } from "vitest";
import { TOKEN_SCOPES } from "../../../../src/storage/console-stores.ts";
import { requestOf, SCOPES } from "./scopes.ts";

const place = { origin: "https://desk.example", account: "acc_1", secret: "tgt_6x" };

test("every scope that a token can have is offered", () => {
  expect(SCOPES.map(({ scope }) => scope)).toEqual([...TOKEN_SCOPES]);
});

test.each([
  [["usage:read", "keys:read"], '"https://desk.example/api/accounts/acc_1/usage/table?range=24h"'],
  [["keys:read", "keys:write"], "https://desk.example/api/accounts/acc_1/keys"],
  [["keys:write"], `-d '{"name":"indexer"}' https://desk.example/api/accounts/acc_1/keys`],
] as const)("with %j the example is a request that they allow", (scopes, end) => {
  const text = requestOf(scopes, place);
  expect(text.startsWith('curl -H "Authorization: Bearer tgt_6x" ')).toBe(true);
  expect(text.endsWith(end)).toBe(true);
});
