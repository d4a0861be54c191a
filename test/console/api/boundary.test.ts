import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../../src/access/ids.ts";
import { latenciesAt } from "../../support/latencies-at.ts";
import {
  bodySchema,
  isStream,
  type Operation,
  operationsOf,
  smallest,
  smallestQuery,
  urlOf,
} from "./openapi-document.ts";
import { openRig, type Person, type Rig, STORES } from "./support.ts";

/** The parts of a path that are ids of an account's own things. */
const KINDS = { account: "acc", key: "key", member: "mem", token: "tok" } as const;

type Ids = Readonly<Record<keyof typeof KINDS, string>>;

const unknown = (name: string): string => createId(KINDS[name as keyof typeof KINDS], randomBytes);

/** Two accounts with the same things in them, and who owns the first one. */
async function twoAccounts(rig: Rig) {
  const one = async (email: string) => {
    const account = await rig.account(email);
    const { key, text } = await rig.key(account, { name: `name of ${email}` });
    const member = await rig.member(account, `member-of-${email}`);
    const { token, text: tokenText } = await rig.token(account, { name: `token of ${email}` });
    const alerts = {
      accountId: account.id,
      thresholds: [75],
      emails: [`alert-of-${email}`],
      webhook: { url: `https://hooks.${email.split("@")[1]}/x`, secret: "whsec_x" },
    };
    await rig.storage.alerts.write(alerts);
    const day = 20_413;
    const delivery = {
      id: createId("del", randomBytes),
      ...{ accountId: account.id, day, threshold: 75, to: "email" as const },
      ...{ target: `alert-of-${email}`, payload: "{}", state: "pending" as const },
      ...{ at: 1, attempts: 0, nextAt: 1, lastError: null },
    };
    await rig.storage.alerts.claim({ accountId: account.id, day, threshold: 75 }, [delivery]);
    const bucket = {
      minute: Math.floor(rig.parts.clock.now() / 60_000),
      ...{ accountId: account.id, keyId: key.id, network: "mainnet", method: `m_${email}` },
      ...{
        outcome: "ok",
        calls: 1,
        credits: 80,
        bytes: 5,
        latencyMs: 2,
        latencies: latenciesAt(2, 1),
      },
    };
    const { minute, accountId, network } = bucket;
    const contracts = [{ minute, accountId, network, contract: `0x${email}`, calls: 3 }];
    await rig.storage.usage.record([bucket], contracts);
    await rig.person(email).post(`/api/accounts/${account.id}/members`, { email: `x-${email}` });
    const ids: Ids = { account: account.id, key: key.id, member, token: token.id };
    /** Whatever of it is in an answer to somebody else has leaked. */
    const traces = [email, ...Object.values(ids), text, tokenText, delivery.id, "whsec_"];
    return { email, ids, traces };
  };
  const own = await one("ada@own.example");
  const other = await one("bob@other.example");
  return { own, other, ada: rig.person(own.email) };
}

/** All that the store has of an account. */
async function contentsOf({ storage }: Rig, { account, key }: Ids): Promise<string> {
  const parts = await Promise.all([
    storage.accounts.findById(account),
    storage.keys.findById(key),
    storage.keys.list(account),
    storage.members.list(account),
    storage.tokens.list(account),
    storage.alerts.read(account),
    storage.audit.page({ accountId: account, limit: 100 }),
  ]);
  return JSON.stringify(parts);
}

function send(person: Person, operation: Operation, ids: Readonly<Record<string, string>>) {
  const schema = bodySchema(operation);
  const body = schema && { body: smallest(schema) };
  return person.ask(operation.method, urlOf(operation, ids), body);
}

const isOwn = (operation: Operation): boolean =>
  ["member", "owner"].includes(operation["x-access"]);

let operations: Operation[] = [];
beforeAll(async () => {
  const rig = await openRig();
  operations = await operationsOf(rig);
  await rig.close();
});

test("the document names each route's access, and each route of an account begins with it", () => {
  expect(operations.length).toBeGreaterThan(30);
  for (const { path, ...operation } of operations) {
    const wants = ["member", "owner"].includes(operation["x-access"]);
    expect(path.startsWith("/api/accounts/{account}"), path).toBe(wants);
    expect(path.startsWith("/api/operator/"), path).toBe(operation["x-access"] === "operator");
  }
});

describe.each(STORES)("with two accounts in %s storage", (store) => {
  test("any id of the other one answers as an id that nobody has, and nothing of it is told or changed", async () => {
    const rig = await openRig({ store });
    const { own, other, ada } = await twoAccounts(rig);
    const before = await contentsOf(rig, other.ids);
    let tried = 0;
    for (const operation of operations.filter(isOwn)) {
      const names = operation.parameters.filter((one) => one.in === "path").map(({ name }) => name);
      for (const foreign of subsets(names)) {
        const ids = { ...own.ids, ...pick(foreign, (name) => other.ids[name as keyof Ids]) };
        const nobodys = { ...own.ids, ...pick(foreign, unknown) };
        const told = await send(ada, operation, ids);
        const expected = await send(ada, operation, nobodys);
        const label = `${operation.method} ${operation.path} with foreign ${foreign}`;
        expect(told.statusCode, label).toBe(404);
        expect(told.json().error.code, label).toBe("not_found");
        expect(told.body, label).toBe(expected.body);
        expect(told.headers["content-type"], label).toBe(expected.headers["content-type"]);
        for (const trace of other.traces) expect(told.body, label).not.toContain(trace);
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(20);
    expect(await contentsOf(rig, other.ids)).toBe(before);
    await rig.close();
  });

  test("no list, page or filter of one's own account shows anything of the other one", async () => {
    const rig = await openRig({ store });
    const { own, other, ada } = await twoAccounts(rig);
    const foreignAudit = await rig
      .person(other.email)
      .get(`${accountUrl(other.ids)}/audit?limit=1`);
    const cursors = [foreignAudit.json().next ?? "x", foreignAudit.json().items[0].id];
    const reads = operations.filter((one) => isOwn(one) && one.method === "GET" && !isStream(one));
    for (const operation of reads) {
      const url = urlOf(operation, own.ids);
      const queries = operation.parameters
        .filter((one) => one.in === "query")
        .flatMap(({ name }) =>
          name === "key"
            ? [`key=${other.ids.key}`]
            : name === "after"
              ? cursors.map((c) => `after=${c}`)
              : [],
        );
      const needed = smallestQuery(operation);
      for (const query of ["", ...queries]) {
        const reply = await ada.get(`${url}?${[query, needed].filter(Boolean).join("&")}`);
        expect(reply.statusCode, `${url} ${query}`).toBe(200);
        for (const trace of other.traces)
          expect(reply.body, `${url} ${query}`).not.toContain(trace);
      }
    }
    await rig.close();
  });

  test("an operator's routes tell anybody else the same of every id", async () => {
    const rig = await openRig({ store });
    const { own, other, ada } = await twoAccounts(rig);
    const before = await contentsOf(rig, other.ids);
    for (const operation of operations.filter((one) => one["x-access"] === "operator")) {
      const ids = [other.ids.account, own.ids.account, unknown("account"), "mainnet"];
      const replies = await Promise.all(
        ids.map((id) => send(ada, operation, { id, network: id, upstream: id })),
      );
      const bodies = new Set(replies.map(({ body }) => body));
      expect(replies.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403]);
      expect(bodies.size, operation.path).toBe(1);
    }
    expect(await contentsOf(rig, other.ids)).toBe(before);
    await rig.close();
  });
});

const accountUrl = ({ account }: Ids): string => `/api/accounts/${account}`;

/** All but the empty one. */
function subsets(names: readonly string[]): string[][] {
  const [first, ...rest] = names;
  if (first === undefined) return [];
  const others = subsets(rest);
  return [[first], ...others, ...others.map((some) => [first, ...some])];
}

function pick(names: readonly string[], value: (name: string) => string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, value(name)]));
}
