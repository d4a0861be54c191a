import { expect, test } from "vitest";
import { type Operation, operationsOf } from "./openapi-document.ts";
import { statusOf } from "./status-of.ts";
import { openRig, type Person } from "./support.ts";

type Role = "nobody" | "unverified" | "stranger" | "member" | "owner" | "operator";

/** Who may pass, of each access; all others get the status. */
const MAY: Readonly<Record<Operation["x-access"], Readonly<Record<Role, number | "may">>>> = {
  public: {
    ...{ nobody: "may", unverified: "may", stranger: "may" },
    ...{ member: "may", owner: "may", operator: "may" },
  },
  user: {
    ...{ nobody: 401, unverified: 401, stranger: "may" },
    ...{ member: "may", owner: "may", operator: "may" },
  },
  member: {
    ...{ nobody: 401, unverified: 401, stranger: 404 },
    ...{ member: "may", owner: "may", operator: 404 },
  },
  owner: {
    ...{ nobody: 401, unverified: 401, stranger: 404 },
    ...{ member: 403, owner: "may", operator: 404 },
  },
  operator: {
    ...{ nobody: 401, unverified: 401, stranger: 403 },
    ...{ member: 403, owner: 403, operator: "may" },
  },
};

/** An account, its things, and one person of each role. */
async function scene() {
  const rig = await openRig();
  const account = await rig.account("owner@example.com");
  await rig.account("operator@example.com", { operator: true });
  const member = await rig.member(account, "member@example.com");
  const { key } = await rig.key(account);
  const { token } = await rig.token(account);
  const ids = { account: account.id, key: key.id, member, token: token.id, id: account.id };
  const people: Record<Role, Person> = {
    nobody: rig.nobody,
    // The owner's own address, which somebody else has signed up with.
    unverified: rig.person("owner@example.com", { emailVerified: false }),
    stranger: rig.person("stranger@example.com"),
    member: rig.person("Member@Example.com"),
    owner: rig.person("OWNER@example.com"),
    operator: rig.person("operator@example.com"),
  };
  return { rig, ids, people, account };
}

const takesTokens = ({ security = [] }: Operation): boolean =>
  security.some(({ token }) => token !== undefined);

const all = await openRig();
const operations = await operationsOf(all);
await all.close();

test.each(operations)("$method $path is for $x-access alone", async (operation) => {
  for (const [role, wanted] of Object.entries(MAY[operation["x-access"]])) {
    const { rig, ids, people } = await scene();
    const status = await statusOf({ rig, ids }, people[role as Role], operation);
    // Operators look at what API tokens may read.
    const mayLook = role === "operator" && operation.method === "GET" && takesTokens(operation);
    if (wanted === "may" || mayLook) expect([401, 403, 404], role).not.toContain(status);
    else expect(status, role).toBe(wanted);
    await rig.close();
  }
});

test("a suspended account may be looked at, and nothing in it be changed", async () => {
  const { rig, ids, people, account } = await scene();
  await rig.storage.accounts.update(account.id, { suspended: true });
  for (const operation of operations.filter((one) =>
    ["member", "owner"].includes(one["x-access"]),
  )) {
    const status = await statusOf({ rig, ids }, people.owner, operation);
    const mayLook = operation.method === "GET";
    expect(status, `${operation.method} ${operation.path}`).toBe(mayLook ? 200 : 403);
  }
  await rig.close();
});

test("a suspended operator is none, and an operator cannot suspend themselves by mistake", async () => {
  const { rig, people } = await scene();
  const own = await rig.storage.accounts.findByEmail("operator@example.com");
  const url = `/api/operator/accounts/${own?.id}`;
  const refused = await people.operator.ask("PATCH", url, { body: { suspended: true } });
  expect(refused.statusCode).toBe(409);
  await rig.storage.accounts.update(own?.id ?? "", { suspended: true });
  expect((await people.operator.get("/api/operator/accounts")).statusCode).toBe(403);
  expect((await people.operator.get("/api/me")).json().operator).toBe(false);
  await rig.close();
});

test("a person who was taken out of an account is a stranger to it at once", async () => {
  const { rig, ids, people } = await scene();
  const url = `/api/accounts/${ids.account}`;
  expect((await people.member.get(url)).json()).toMatchObject({ role: "member" });
  await people.owner.ask("DELETE", `${url}/members/${ids.member}`);
  expect((await people.member.get(url)).statusCode).toBe(404);
  expect((await people.member.get("/api/me")).json().accounts).toEqual([]);
  await rig.close();
});
