import { describe, expect, test } from "vitest";
import type { OperatorAccount } from "../../../src/console/contract/operator-accounts.ts";
import { openRig, openTestStorage, STORES } from "./support.ts";

describe.each(STORES)("people and accounts, with %s storage", (store) => {
  test("an owner lets somebody in, who is invited, listed and let out again", async () => {
    const rig = await openRig({ store });
    const account = await rig.account("ada@example.com");
    const ada = rig.person(account.email);
    const url = `/api/accounts/${account.id}/members`;
    const added = await ada.post(url, { email: "Bob@example.com" });
    expect(added.statusCode).toBe(201);
    expect(added.json()).toMatchObject({ email: "Bob@example.com", role: "member" });
    expect(rig.mails.map(({ to, text }) => [to, text.includes("ada@example.com")])).toEqual([
      ["Bob@example.com", true],
    ]);
    expect(rig.mails[0]?.text).toContain("http://localhost:7545/sign-up?email=");
    for (const email of ["bob@example.com", "ADA@example.com"]) {
      expect((await ada.post(url, { email })).statusCode, email).toBe(409);
    }
    for (const email of ["bob", "a@b@c", "ä@example.com", "a b@example.com"]) {
      expect((await ada.post(url, { email })).statusCode, email).toBe(400);
    }
    const { items } = (await ada.get(url)).json();
    expect(items).toEqual([
      { id: null, email: "ada@example.com", role: "owner", added: "2026-11-21T13:30:30.000Z" },
      added.json(),
    ]);
    const removed = await ada.ask("DELETE", `${url}/${added.json().id}`);
    expect([removed.statusCode, removed.body]).toEqual([204, ""]);
    expect((await ada.ask("DELETE", `${url}/${added.json().id}`)).statusCode).toBe(404);
    await rig.close();
  });

  test("a member whose mail could not be sent is a member all the same, and the log says so", async () => {
    const rig = await openRig({ store, mail: "fails" });
    const account = await rig.account("ada@example.com");
    const ada = rig.person(account.email);
    const url = `/api/accounts/${account.id}`;
    expect((await ada.post(`${url}/members`, { email: "bob@example.com" })).statusCode).toBe(201);
    const [entry] = (await ada.get(`${url}/audit`)).json().items;
    expect(entry.detail).toEqual({ email: "bob@example.com", invited: false });
    expect(rig.log()).toContain("an invitation could not be sent");
    await rig.close();
  });

  test("where sign-up is closed nobody is let in, and an operator's new account gets no mail", async () => {
    const rig = await openRig({ store, console: { signup: "closed" } });
    const account = await rig.account("root@example.com", { operator: true });
    const root = rig.person(account.email);
    const refused = await root.post(`/api/accounts/${account.id}/members`, {
      email: "b@example.com",
    });
    expect(refused.statusCode).toBe(403);
    const body = { email: "new@example.com", plan: "free" };
    expect((await root.post("/api/operator/accounts", body)).statusCode).toBe(201);
    expect(rig.mails).toEqual([]);
    await rig.close();
  });

  test("an operator sees all accounts page by page, and finds one by a part of its e-mail or id", async () => {
    const rig = await openRig({ store });
    const root = await rig.account("root@example.com", { operator: true });
    const operator = rig.person(root.email);
    const made = [];
    for (let place = 0; place < 7; place += 1) {
      rig.wait(1);
      made.push(
        await rig.account(`user${place}@example.com`, { createdAt: rig.parts.clock.now() }),
      );
    }
    const seen: string[] = [];
    let next: string | null = "";
    while (next !== null) {
      const after: string = next === "" ? "" : `&after=${encodeURIComponent(next)}`;
      const reply = await operator.get(`/api/operator/accounts?limit=3${after}`);
      const page: { items: OperatorAccount[]; next: string | null } = reply.json();
      seen.push(...page.items.map(({ email }) => email));
      next = page.next;
    }
    expect(seen).toEqual([root, ...made].map(({ email }) => email));
    const [, second] = made;
    for (const search of ["USER1@", second?.id.slice(4) ?? ""]) {
      const found = (await operator.get(`/api/operator/accounts?search=${search}`)).json();
      expect(found.items.map(({ id }: OperatorAccount) => id)).toEqual([second?.id]);
    }
    const unknown = await operator.get("/api/operator/accounts?after=nonsense");
    expect(unknown.json()).toEqual({ items: [], next: null });
    await rig.close();
  });

  test("plan, limits, suspension and added credits of an account show wherever it is shown", async () => {
    const rig = await openRig({ store });
    const root = await rig.account("root@example.com", { operator: true });
    const account = await rig.account("ada@example.com");
    await rig.key(account);
    await rig.key(account, { revokedAt: 1 });
    await rig.key(account, { name: "Explorer (dashboard)" });
    const operator = rig.person(root.email);
    const ada = rig.person(account.email);
    const url = `/api/operator/accounts/${account.id}`;
    const change = async (body: object) =>
      (await operator.ask("PATCH", url, { body })).json() as OperatorAccount;
    expect((await operator.get(url)).json()).toEqual({
      ...{ id: account.id, email: account.email, plan: "free", suspended: false, operator: false },
      ...{ created: "2026-11-21T13:30:30.000Z", maxKeys: 5 },
      limits: { creditsPerDay: 3_000_000, creditsPerSecond: 500 },
      ownLimits: { creditsPerDay: null, creditsPerSecond: null },
      ...{ today: { used: 0, limit: 3_000_000 }, keys: { all: 2, active: 1 } },
    });
    expect(await change({ plan: "team" })).toMatchObject({ plan: "team", maxKeys: null });
    expect(await change({ limits: { creditsPerDay: 1000 } })).toMatchObject({
      limits: { creditsPerDay: 1000, creditsPerSecond: 40_000 },
      ownLimits: { creditsPerDay: 1000, creditsPerSecond: null },
    });
    const balance = (await operator.post(`${url}/credit`, { credits: 250 })).json();
    expect(balance).toMatchObject({ limit: 1250, used: 0, left: 1250 });
    expect((await ada.get(`/api/accounts/${account.id}/balance`)).json()).toEqual(balance);
    expect((await ada.get(`/api/accounts/${account.id}`)).json()).toMatchObject({
      ...{ plan: "team", role: "owner", limits: { creditsPerDay: 1000, creditsPerSecond: 40_000 } },
    });
    expect(await change({ suspended: true })).toMatchObject({ suspended: true });
    expect((await ada.get("/api/me")).json().accounts[0].suspended).toBe(true);
    for (const body of [
      { plan: "none" },
      { plan: "constructor" },
      { limits: { creditsPerDay: -1 } },
    ]) {
      expect((await operator.ask("PATCH", url, { body })).statusCode, JSON.stringify(body)).toBe(
        400,
      );
    }
    const taken = await operator.post("/api/operator/accounts", {
      email: "ADA@example.com",
      plan: "free",
    });
    expect([taken.statusCode, taken.json().error.field]).toEqual([409, "body.email"]);
    await rig.close();
  });

  test("an account whose plan is gone from the configuration has no credits, and the rest goes on", async () => {
    const rig = await openRig({ store });
    const account = await rig.account("ada@example.com", { plan: "toString" });
    const ada = rig.person(account.email);
    expect((await ada.get(`/api/accounts/${account.id}`)).json()).toMatchObject({
      ...{ plan: "toString", limits: { creditsPerDay: 0, creditsPerSecond: 0 }, maxKeys: null },
    });
    const reply = await ada.post(`/api/accounts/${account.id}/keys`, { name: "one" });
    expect([reply.statusCode, reply.json().error.message]).toEqual([
      ...[409, expect.stringContaining("the account's plan is gone")],
    ]);
    await rig.close();
  });
});

test("plans come as the configuration has them", async () => {
  const rig = await openRig();
  const root = await rig.account("root@example.com", { operator: true });
  const { items } = (await rig.person(root.email).get("/api/operator/plans")).json();
  expect(items[0]).toEqual({
    ...{
      name: "free",
      dailyCredits: 3_000_000,
      creditsPerSecond: 500,
      failover: false,
      maxKeys: 5,
    },
  });
  expect(items.map(({ name }: { name: string }) => name)).toContain("growth");
  await rig.close();
});

test("nothing that the contract does not name leaves the console", async () => {
  const storage = await openTestStorage("memory");
  const more = { contract: "0xa", network: "mainnet", calls: 1, accountId: "acc_a", secret: "s" };
  const usage = { ...storage.usage, topContracts: async () => [more] };
  const rig = await openRig({ storage: { ...storage, usage } });
  const account = await rig.account("ada@example.com");
  const reply = await rig.person(account.email).get(`/api/accounts/${account.id}/usage/contracts`);
  expect(reply.json()).toEqual({ items: [{ contract: "0xa", network: "mainnet", calls: 1 }] });
  await rig.close();
  await storage.close();
});

test("a store that does not answer is a 503 that says so, and its reason is in the log alone", async () => {
  const rig = await openRig();
  const account = await rig.account("ada@example.com");
  const ada = rig.person(account.email);
  await rig.storage.close();
  const reply = await ada.get(`/api/accounts/${account.id}/keys`);
  expect([reply.statusCode, reply.json()]).toEqual([
    503,
    {
      error: {
        code: "unavailable",
        message: "the storage does not respond; try again in a moment",
      },
    },
  ]);
  expect(rig.log()).toMatch(/failed to answer/);
  await rig.app.close();
});
