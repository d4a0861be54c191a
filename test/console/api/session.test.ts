import { describe, expect, test } from "vitest";
import type { Me, Networks } from "../../../src/console/contract/session.ts";
import { FAMILIES } from "../../../src/methods/families.ts";
import { openRig, STORES } from "./support.ts";

describe.each(STORES)("the first request of a verified person, with %s storage", (store) => {
  test("makes one account where anybody may sign up, however many come at once", async () => {
    const rig = await openRig({ store, console: { signup: "open", signupPlan: "developer" } });
    const newcomer = rig.person("New@example.com");
    const replies = await Promise.all([1, 2, 3, 4].map(() => newcomer.get("/api/me")));
    const seen = replies.map((reply) => (reply.json() as Me).accounts);
    expect(await rig.storage.accounts.list()).toHaveLength(1);
    const [account] = await rig.storage.accounts.list();
    for (const accounts of seen) {
      expect(accounts).toEqual([
        {
          ...{ id: account?.id, email: "New@example.com", plan: "developer" },
          ...{ role: "owner", suspended: false },
        },
      ]);
    }
    const { entries } = await rig.storage.audit.page({ limit: 10 });
    expect(entries.map(({ action, accountId }) => [action, accountId])).toEqual([
      ["account.create", account?.id],
    ]);
    await rig.close();
  });

  test.each(["invite", "closed"])("makes none where sign-up is %s", async (signup) => {
    const rig = await openRig({ store, console: { signup } });
    expect((await rig.person("new@example.com").get("/api/me")).json()).toMatchObject({
      ...{ operator: false, accounts: [] },
      user: { email: "new@example.com", twoFactor: false },
    });
    expect(await rig.storage.accounts.list()).toEqual([]);
    await rig.close();
  });

  test("makes none for somebody who was added to another one's, and none without a verified e-mail", async () => {
    const rig = await openRig({ store, console: { signup: "open" } });
    const account = await rig.account("ada@example.com", { suspended: true });
    await rig.member(account, "bob@example.com");
    const { accounts } = (await rig.person("BOB@example.com").get("/api/me")).json() as Me;
    expect(accounts).toMatchObject([{ id: account.id, role: "member", suspended: true }]);
    const unverified = await rig.person("eve@example.com", { emailVerified: false }).get("/api/me");
    expect([unverified.statusCode, unverified.json().error.code]).toEqual([401, "unauthorized"]);
    expect(await rig.storage.accounts.list()).toHaveLength(1);
    await rig.close();
  });

  test("shows one's own account before those that one was added to", async () => {
    const rig = await openRig({ store });
    const other = await rig.account("ada@example.com");
    await rig.member(other, "bob@example.com");
    await rig.account("bob@example.com", { operator: true });
    const { accounts, operator } = (
      await rig.person("bob@example.com").get("/api/me")
    ).json() as Me;
    expect(accounts.map(({ email, role }) => [email, role])).toEqual([
      ["bob@example.com", "owner"],
      ["ada@example.com", "member"],
    ]);
    expect(operator).toBe(true);
    await rig.close();
  });
});

test("before anybody signs in, a page learns how to sign up and where clients call", async () => {
  const rig = await openRig({ gateway: 8545, mail: "none" });
  expect((await rig.nobody.get("/api/config")).json()).toEqual({
    ...{ name: "Tollgate", version: "0.0.0", signup: "invite", mail: false, requestLog: true },
    gateway: { httpUrl: "http://127.0.0.1:8545", wsUrl: "ws://127.0.0.1:8545" },
  });
  await rig.close();
  const server = { publicUrl: "https://rpc.example.com/" };
  const open = await openRig({ console: { signup: "open" }, server });
  expect((await open.nobody.get("/api/config")).json()).toMatchObject({
    ...{ signup: "open", mail: true },
    gateway: { httpUrl: "https://rpc.example.com", wsUrl: "wss://rpc.example.com" },
  });
  await open.close();
});

test("every method of a network comes with its price and what a form of it needs", async () => {
  const rig = await openRig({ gateway: 8545 });
  const reply = await rig.person("ada@example.com").get("/api/networks");
  const { networks } = reply.json() as Networks;
  expect(networks.map(({ methods: _, ...rest }) => rest)).toEqual([
    {
      ...{ name: "mainnet", family: "evm", chainId: 1 },
      httpUrl: "http://127.0.0.1:8545/mainnet/v3/",
      wsUrl: "ws://127.0.0.1:8545/mainnet/ws/v3/",
    },
    {
      ...{ name: "solana", family: "slot", chainId: null },
      httpUrl: "http://127.0.0.1:8545/solana/v3/",
      wsUrl: "ws://127.0.0.1:8545/solana/ws/v3/",
    },
  ]);
  for (const { family, methods } of networks) {
    expect(methods.length).toBeGreaterThan(20);
    for (const { method, credits, params } of methods) {
      const definition = FAMILIES[family].lookUp(method);
      expect(definition?.credits, method).toBe(credits);
      expect(params.map(({ name }) => name)).toEqual(definition?.params.map(({ name }) => name));
      for (const param of params) expect(param.want, method).not.toBe("");
    }
  }
  const call = networks[0]?.methods.find(({ method }) => method === "eth_call");
  expect(call?.params.slice(0, 2).map(({ role, required }) => [role, required])).toEqual([
    ["call", true],
    ["block", false],
  ]);
  await rig.close();
});

test("an entry of an allow-list is checked as it would be stored, or told what would be right", async () => {
  const rig = await openRig();
  const check = async (kind: string, value: string) => {
    const body = { kind, value };
    return (await rig.person("ada@example.com").post("/api/allow-entries/check", body)).json();
  };
  expect(await check("ip", " 10.1.2.3/8 ")).toEqual({ entry: "10.0.0.0/8", fault: null });
  expect(await check("network", "MAINNET")).toEqual({ entry: "mainnet", fault: null });
  expect((await check("network", "other")).fault).toMatch(
    /there is no network "other"; the networks are/,
  );
  expect(await check("method", "eth_cal")).toEqual({
    entry: null,
    fault: 'there is no method "eth_cal"; did you mean eth_call?',
  });
  expect((await check("contract", "0x12")).fault).toMatch(/give a contract's address/);
  await rig.close();
});
