import { afterAll, beforeAll, expect, test } from "vitest";
import type { AuditEntryView } from "../../../src/console/contract/audit.ts";
import { type Operation, operationsOf, urlOf } from "./openapi-document.ts";
import { type LocalServer, openRig, type Person, type Rig, startServer } from "./support.ts";

/** A right request for each route that changes something: a route that is new needs one here. */
const REQUESTS: Readonly<Record<string, { body?: unknown; detail?: object; actions?: string[] }>> =
  {
    readMe: { detail: { plan: "free" } },
    createKey: { body: { name: "one", expires: "2027-01-01" }, detail: { name: "one" } },
    changeKey: {
      body: {
        name: "new",
        limits: { creditsPerDay: 5 },
        allow: { ip: ["10.0.0.0/8", "fd00::/8"] },
      },
      actions: ["key.name", "key.limits", "key.allow"],
    },
    rotateKey: { body: { overlap: "1h" } },
    revokeKey: { body: {}, detail: { name: "backend" } },
    writeAlerts: {
      body: {
        thresholds: [100, 75],
        emails: ["a@b.example"],
        webhook: { url: "https://x.example/secret" },
      },
      detail: { thresholds: "75, 100", emails: "a@b.example", webhook: "x.example" },
    },
    testAlerts: { body: {}, detail: { email: "none", webhook: "none" } },
    addMember: {
      body: { email: "new@example.com" },
      detail: { email: "new@example.com", invited: true },
    },
    createToken: {
      body: { name: "billing", scopes: ["usage:read", "keys:read"] },
      detail: { name: "billing", scopes: "usage:read, keys:read" },
    },
    revokeToken: { detail: { name: "terraform" } },
    removeMember: { detail: { email: "member@example.com" } },
    explore: { body: { network: "mainnet", method: "eth_chainId", params: [] } },
    watch: { body: { network: "mainnet", method: "eth_subscribe", params: ["newHeads"] } },
    drainUpstream: { body: {} },
    enableUpstream: { body: {} },
    createAccount: {
      body: { email: "new@example.com", plan: "team" },
      detail: { email: "new@example.com", plan: "team", invited: true },
    },
    changeAccount: {
      body: { plan: "team", suspended: true, limits: { creditsPerSecond: 9 } },
      actions: ["account.plan", "account.limits", "account.suspend"],
    },
    creditAccount: { body: { credits: 1000 }, detail: { credits: 1000 } },
  };

/** What changes nothing, though it is no GET. */
const HARMLESS = ["checkAllowEntry"];

let gateway: LocalServer;
beforeAll(async () => {
  gateway = await startServer((_, response) => response.end("{}"));
});
afterAll(() => gateway.stop());

const listing = await openRig();
const operations = await operationsOf(listing);
await listing.close();
const changing = operations.filter((one) => one["x-audit"] !== undefined);

test("every route that is no GET says what the audit log calls it, and is tried here", () => {
  const silent = operations.filter((one) => one.method !== "GET" && one["x-audit"] === undefined);
  expect(silent.map(({ operationId }) => operationId)).toEqual(HARMLESS);
  expect(changing.map(({ operationId }) => operationId).sort()).toEqual(
    Object.keys(REQUESTS).sort(),
  );
});

async function scene() {
  const rig = await openRig({
    ...{ gateway: gateway.port, admin: gateway.port, console: { signup: "open" } },
  });
  const account = await rig.account("owner@example.com");
  await rig.account("operator@example.com", { operator: true });
  const member = await rig.member(account, "member@example.com");
  const { key } = await rig.key(account);
  const { token } = await rig.token(account);
  const ids = { account: account.id, id: account.id, key: key.id, member, token: token.id };
  return { rig, ids: { ...ids, network: "mainnet", upstream: "geth" } };
}

function personFor(rig: Rig, { operationId, ...operation }: Operation): Person {
  if (operationId === "readMe") return rig.person("newcomer@example.com");
  return rig.person(
    operation["x-access"] === "operator" ? "operator@example.com" : "owner@example.com",
  );
}

const entriesOf = async (rig: Rig): Promise<AuditEntryView[]> =>
  (await rig.person("operator@example.com").get("/api/operator/audit?limit=200")).json().items;

test.each(changing)(
  "$operationId is written down: who, what, when and from where",
  async (operation) => {
    const { rig, ids } = await scene();
    const person = personFor(rig, operation);
    const { body, detail, actions } = REQUESTS[operation.operationId] ?? {};
    const headers = { "user-agent": "browser/7" };
    const url = urlOf(operation, ids);
    const asking = { headers, ...(body !== undefined && { body }) };
    const reply = await person.ask(operation.method, url, asking);
    expect(reply.statusCode, reply.body).toBeLessThan(300);
    const entries = await entriesOf(rig);
    const wanted = actions ?? operation["x-audit"] ?? [];
    expect(entries.map(({ action }) => action).sort()).toEqual([...wanted].sort());
    for (const entry of entries) {
      expect(entry.actor).toEqual({ kind: "user", email: person.user?.email });
      expect(entry.at).toBe(new Date(rig.parts.clock.now()).toISOString());
      expect([entry.ip, entry.agent]).toEqual(["127.0.0.1", "browser/7"]);
      expect(entry.target).not.toBeNull();
      expect(operation["x-audit"]).toContain(entry.action);
    }
    if (detail !== undefined) expect(entries[0]?.detail).toMatchObject(detail);
    // No key stands in it, and nothing of a webhook's path.
    expect(JSON.stringify(entries)).not.toMatch(/tgt?_6|whsec_|\/secret/);
    await rig.close();
  },
);

test("the owner reads in the account's log what an operator did to it, and nothing of nodes", async () => {
  const { rig, ids } = await scene();
  const operator = rig.person("operator@example.com");
  await operator.post(`/api/operator/accounts/${ids.account}/credit`, { credits: 5 });
  await operator.post("/api/operator/networks/mainnet/upstreams/geth/drain");
  const own = (
    await rig.person("owner@example.com").get(`/api/accounts/${ids.account}/audit`)
  ).json();
  expect(own.items).toMatchObject([
    { action: "account.credit", actor: { email: "operator@example.com" }, target: ids.account },
  ]);
  expect((await entriesOf(rig)).map(({ action, target }) => [action, target])).toEqual([
    ["upstream.drain", "mainnet/geth"],
    ["account.credit", ids.account],
  ]);
  await rig.close();
});

test("what was refused is not written down, and neither is what changes nothing", async () => {
  const { rig, ids } = await scene();
  const owner = rig.person("owner@example.com");
  const url = `/api/accounts/${ids.account}`;
  await owner.post(`${url}/keys`, { name: "" });
  await owner.post(`${url}/members`, { email: "member@example.com" });
  await owner.ask("DELETE", `${url}/members/mem_unknown`);
  await owner.post(`${url}/keys/${ids.key}/revoke`);
  rig.wait(1000);
  await owner.post(`${url}/keys/${ids.key}/revoke`);
  await rig.person("operator@example.com").ask("PATCH", `/api/operator/accounts/${ids.account}`, {
    body: { plan: "free", suspended: false },
  });
  expect((await entriesOf(rig)).map(({ action }) => action)).toEqual(["key.revoke"]);
  await rig.close();
});

test("pages follow one another without a gap, whatever is written meanwhile", async () => {
  const { rig, ids } = await scene();
  const owner = rig.person("owner@example.com");
  const url = `/api/accounts/${ids.account}`;
  const credit = () =>
    rig
      .person("operator@example.com")
      .post(`/api/operator/accounts/${ids.account}/credit`, { credits: 1 });
  for (let round = 0; round < 5; round += 1) await credit();
  const first = (await owner.get(`${url}/audit?limit=2`)).json();
  await credit();
  const second = (await owner.get(`${url}/audit?limit=2&after=${first.next}`)).json();
  const third = (await owner.get(`${url}/audit?limit=2&after=${second.next}`)).json();
  const seen = [first, second, third].flatMap(({ items }) =>
    items.map(({ id }: { id: string }) => id),
  );
  expect(new Set(seen).size).toBe(5);
  expect(third.next).toBeNull();
  await rig.close();
});

test("a change is answered though the audit log cannot be written, and an operator's log says so", async () => {
  const { rig, ids } = await scene();
  const broken = { ...rig.storage.audit, append: () => Promise.reject(new Error("disk full")) };
  Object.assign(rig.storage, { audit: broken });
  const owner = rig.person("owner@example.com");
  const reply = await owner.post(`/api/accounts/${ids.account}/keys`, { name: "one" });
  expect(reply.statusCode).toBe(201);
  expect(rig.log()).toContain("the audit log cannot be written");
  await rig.close();
});
