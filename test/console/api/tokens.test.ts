import { afterEach, beforeEach, expect, test } from "vitest";
import { TOKEN_SCOPES, type TokenScope } from "../../../src/storage/console-stores.ts";
import { type Account, StorageError } from "../../../src/storage/store.ts";
import { type Operation, operationsOf } from "./openapi-document.ts";
import { statusOf } from "./status-of.ts";
import { openRig, type Person, type Rig } from "./support.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let rig: Rig;
let account: Account;
let owner: Person;
let url: string;
beforeEach(async () => {
  rig = await openRig();
  account = await rig.account("owner@example.com");
  owner = rig.person("owner@example.com");
  url = `/api/accounts/${account.id}`;
});
afterEach(() => rig.close());

const listing = await openRig();
const operations = await operationsOf(listing);
await listing.close();

const scopeOf = ({ security = [] }: Operation): string | undefined =>
  security.flatMap(({ token = [] }) => token)[0];

/** What an operation answers to a program whose token has these scopes. */
async function answerOf(operation: Operation, scopes: readonly TokenScope[]): Promise<number> {
  const { text } = await rig.token(account, { scopes });
  const { key } = await rig.key(account);
  const ids = { account: account.id, key: key.id, id: account.id };
  return statusOf({ rig, ids }, rig.program(text), operation);
}

test("the document says which routes take tokens: keys, usage and the balance", () => {
  const taking = operations.filter((one) => scopeOf(one) !== undefined);
  expect(
    Object.groupBy(
      taking.map((one) => ({ scope: scopeOf(one) ?? "", id: one.operationId })),
      ({ scope }) => scope,
    ),
  ).toEqual({
    "keys:read": [{ scope: "keys:read", id: "listKeys" }],
    "keys:write": ["createKey", "changeKey", "rotateKey", "revokeKey"].map((id) => ({
      scope: "keys:write",
      id,
    })),
    "usage:read": [
      ...["readBalance", "readUsageSeries", "readUsageLatency", "readUsageTable"],
      ...["readContracts", "exportUsage", "streamUsage", "findRequests"],
    ].map((id) => ({ scope: "usage:read", id })),
  });
});

test.each(operations.filter((one) => one["x-access"] !== "public"))(
  "$method $path takes tokens of its scope alone, or none",
  async (operation) => {
    const scope = scopeOf(operation);
    const others = TOKEN_SCOPES.filter((one) => one !== scope);
    expect(await answerOf(operation, others)).toBe(403);
    const all = await answerOf(operation, TOKEN_SCOPES);
    if (scope === undefined) expect(all).toBe(403);
    else expect([401, 403, 404]).not.toContain(all);
  },
);

test("a token is told once, to its owner, and kept as a hash", async () => {
  const body = { name: "billing", scopes: ["usage:read", "usage:read"], expires: "2027-01-01" };
  const made = await owner.post(`${url}/tokens`, body);
  expect(made.statusCode).toBe(201);
  const { token, secret } = made.json();
  expect(token).toEqual({
    ...{ id: expect.stringMatching(/^tok_/), name: "billing", prefix: secret.slice(0, 8) },
    ...{ scopes: ["usage:read"], created: "2026-11-21T13:30:30.000Z" },
    ...{ createdBy: "owner@example.com", lastUsed: null, expires: "2027-01-01T00:00:00.000Z" },
  });
  const listed = await owner.get(`${url}/tokens`);
  expect(listed.json()).toEqual({ items: [token] });
  const stored = JSON.stringify(await rig.storage.tokens.list(account.id));
  const audit = (await owner.get(`${url}/audit`)).body;
  for (const text of [listed.body, stored, audit, rig.log()]) expect(text).not.toContain(secret);
  expect((await rig.program(secret).get(`${url}/balance`)).statusCode).toBe(200);
});

test.each([
  [{ name: "x", scopes: [] }, "body.scopes"],
  [{ name: "x", scopes: ["keys:delete"] }, "body.scopes"],
  [{ name: " ", scopes: ["keys:read"] }, "body.name"],
  [{ name: "tg_6abcdefghij", scopes: ["keys:read"] }, "body.name"],
  [{ name: "x", scopes: ["keys:read"], expires: "2026-11-21" }, "body.expires"],
])("%j is refused with the field that is wrong", async (body, field) => {
  const reply = await owner.post(`${url}/tokens`, body);
  expect(reply.statusCode).toBe(400);
  expect(reply.json().error.field).toMatch(new RegExp(`^${field}`));
});

test("an account has twenty tokens at most", async () => {
  const make = () => owner.post(`${url}/tokens`, { name: "x", scopes: ["keys:read"] });
  for (let number = 0; number < 20; number += 1) expect((await make()).statusCode).toBe(201);
  const refused = await make();
  expect([refused.statusCode, refused.json().error.message]).toEqual([
    409,
    "an account may have 20 API tokens; revoke one",
  ]);
});

test("members see tokens, and neither make nor end them", async () => {
  await rig.member(account, "member@example.com");
  const { token } = await rig.token(account);
  const member = rig.person("member@example.com");
  expect((await member.get(`${url}/tokens`)).json().items).toHaveLength(1);
  const body = { name: "x", scopes: ["keys:read"] };
  expect((await member.post(`${url}/tokens`, body)).statusCode).toBe(403);
  expect((await member.ask("DELETE", `${url}/tokens/${token.id}`)).statusCode).toBe(403);
});

test("a program makes a key and revokes it, and the log names the token and who made it", async () => {
  const { text, token } = await rig.token(account, { scopes: ["keys:write"] });
  const program = rig.program(text);
  const made = await program.post(`${url}/keys`, { name: "made by a program" });
  expect(made.statusCode).toBe(201);
  const { key } = made.json();
  expect((await program.post(`${url}/keys/${key.id}/revoke`)).json().state).toBe("revoked");
  const { items } = (await owner.get(`${url}/audit`)).json();
  expect(items).toMatchObject(
    ["key.revoke", "key.create"].map((action) => ({
      ...{ action, actor: { kind: "token", email: "owner@example.com" }, target: key.id },
      detail: { name: "made by a program", token: token.id },
    })),
  );
});

test("a token is of one account: any other one's is as if it were not there", async () => {
  const { text } = await rig.token(account);
  const other = await rig.account("other@example.com");
  const program = rig.program(text);
  const foreign = await program.get(`/api/accounts/${other.id}/keys`);
  const nobodys = await program.get("/api/accounts/acc_nobody/keys");
  expect([foreign.statusCode, foreign.body]).toEqual([404, nobodys.body]);
});

test("a revoked token is refused from its next request on, and so is one that has expired", async () => {
  const { text, token } = await rig.token(account);
  const expires = rig.parts.clock.now() + DAY_MS;
  const short = await rig.token(account, { expiresAt: expires });
  await owner.ask("DELETE", `${url}/tokens/${token.id}`);
  expect((await rig.program(text).get(`${url}/keys`)).json().error).toEqual({
    ...{ code: "unauthorized", message: "this API token is not known here, or was revoked" },
  });
  expect((await rig.program(short.text).get(`${url}/keys`)).statusCode).toBe(200);
  rig.wait(DAY_MS);
  expect((await rig.program(short.text).get(`${url}/keys`)).json().error.message).toBe(
    "this API token has expired; create a new one",
  );
});

test("what is no token is refused with what would be one, whatever cookies come with it", async () => {
  const { text: key } = await rig.key(account);
  const { text } = await rig.token(account);
  const last = text.endsWith("1") ? "2" : "1";
  const none = 'the Authorization header must be "Bearer " and an API token (tgt_…)';
  const forKeys =
    "this is a key for calls of the gateway; the dashboard's API takes API tokens (tgt_…)";
  for (const [authorization, message] of [
    ["Basic YTpi", none],
    ["Bearer", none],
    [`Bearer ${text.slice(0, -1)}${last}`, none],
    [`Bearer ${text} ${text}`, none],
    [`Bearer ${key}`, forKeys],
  ]) {
    const reply = await owner.ask("GET", `${url}/keys`, { headers: { authorization } as never });
    expect([reply.statusCode, reply.json().error.message]).toEqual([401, message]);
  }
});

test("with a token a suspended account may be looked at, and nothing in it be changed", async () => {
  const { text } = await rig.token(account);
  await rig.storage.accounts.update(account.id, { suspended: true });
  expect((await rig.program(text).get(`${url}/keys`)).statusCode).toBe(200);
  expect((await rig.program(text).post(`${url}/keys`, { name: "x" })).statusCode).toBe(403);
});

test("the last use is known to the minute, and a store that cannot be written keeps no reader out", async () => {
  const { text } = await rig.token(account);
  const lastUsed = async () => (await owner.get(`${url}/tokens`)).json().items[0].lastUsed;
  const use = () => rig.program(text).get(`${url}/keys`);
  await use();
  expect(await lastUsed()).toBe("2026-11-21T13:30:30.000Z");
  rig.wait(MINUTE_MS - 1);
  await use();
  expect(await lastUsed()).toBe("2026-11-21T13:30:30.000Z");
  rig.wait(1);
  await use();
  expect(await lastUsed()).toBe("2026-11-21T13:31:30.000Z");
  rig.wait(MINUTE_MS);
  Object.assign(rig.storage.tokens, {
    recordUse: async () => {
      throw new StorageError("the disk is full");
    },
  });
  expect((await use()).statusCode).toBe(200);
  expect(rig.log()).toContain("the use of a token cannot be written");
});
