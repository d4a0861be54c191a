import { describe, expect, test } from "vitest";
import { hashApiKey, isApiKey } from "../../../src/access/api-key.ts";
import type { KeyView } from "../../../src/console/contract/keys.ts";
import { openRig, STORES } from "./support.ts";

const NONE = { creditsPerDay: null, creditsPerSecond: null };

async function scene(store: (typeof STORES)[number]) {
  const rig = await openRig({ store });
  const account = await rig.account("ada@example.com");
  const ada = rig.person(account.email);
  const url = `/api/accounts/${account.id}/keys`;
  const list = async (): Promise<KeyView[]> => (await ada.get(url)).json().items;
  return { rig, account, ada, url, list };
}

describe.each(STORES)("keys, with %s storage", (store) => {
  test("a new key's text is in its answer alone, and is the one that the gateway's store knows", async () => {
    const { rig, account, ada, url, list } = await scene(store);
    const allow = { network: ["MAINNET"], ip: ["10.1.1.1/8", "10.0.0.0/8"], method: [] };
    const body = { name: "backend", expires: "2026-12-31", limits: { creditsPerDay: 500 }, allow };
    const reply = await ada.post(url, body);
    expect(reply.statusCode).toBe(201);
    const { key, secret } = reply.json();
    expect(isApiKey(secret)).toBe(true);
    expect(key).toEqual({
      ...{ id: key.id, name: "backend", prefix: secret.slice(0, 8), state: "active" },
      ...{ created: "2026-11-21T13:30:30.000Z", lastUsed: null, revoked: null },
      expires: "2026-12-31T00:00:00.000Z",
      limits: { creditsPerDay: 500, creditsPerSecond: null },
      allow: { network: ["mainnet"], ip: ["10.0.0.0/8"] },
    });
    const record = await rig.storage.keys.findByHash(hashApiKey(secret));
    expect([record?.key.id, record?.account.id]).toEqual([key.id, account.id]);
    expect(await list()).toEqual([{ ...key, open: { sockets: 0, subscriptions: 0 } }]);
    expect(JSON.stringify(await list())).not.toContain(secret);
    expect(rig.log()).not.toContain(secret);
    await rig.close();
  });

  test.each([
    [{ name: "a", expires: "2026-02-30" }, "body.expires"],
    [{ name: "a", expires: "2026-11-21" }, "body.expires"],
    [{ name: "a", limits: { creditsPerDay: 0 } }, "body.limits.creditsPerDay"],
    [{ name: "a", limits: { creditsPerSecond: 1.5 } }, "body.limits.creditsPerSecond"],
    [{ name: "a", allow: { ip: ["10.0.0.0/99"] } }, "body.allow.ip"],
    [{ name: "a", allow: { network: ["other"] } }, "body.allow.network"],
    [
      { name: "a", allow: { agent: Array.from({ length: 101 }, (_, n) => `m${n}`) } },
      "body.allow.agent",
    ],
    [{ name: "a", allow: { colour: ["red"] } }, "body.allow"],
    [{ name: "a", more: 1 }, "body"],
    [{}, "body.name"],
  ])("%j makes none, and %s is named", async (body, field) => {
    const { rig, ada, url, list } = await scene(store);
    const reply = await ada.post(url, body);
    expect([reply.statusCode, reply.json().error.code, reply.json().error.field]).toEqual([
      ...[400, "bad_request", field],
    ]);
    expect(await list()).toEqual([]);
    await rig.close();
  });

  test("a change keeps what it does not name, and replaces all lists where it names them", async () => {
    const { rig, ada, url, list } = await scene(store);
    const made = (await ada.post(url, { name: "one", limits: { creditsPerDay: 5 } })).json();
    const key = `${url}/${made.key.id}`;
    const change = async (body: object) =>
      (await ada.ask("PATCH", key, { body })).json() as KeyView;
    expect(await change({ limits: { creditsPerSecond: 7 } })).toMatchObject({
      ...{ name: "one", limits: { creditsPerDay: 5, creditsPerSecond: 7 } },
    });
    expect((await change({ allow: { ip: ["10.0.0.1"], agent: ["x"] } })).limits.creditsPerDay).toBe(
      5,
    );
    expect((await change({ allow: { agent: ["y"] }, name: "two" })).allow).toEqual({
      agent: ["y"],
    });
    const last = await change({
      allow: {},
      limits: { creditsPerDay: null, creditsPerSecond: null },
    });
    expect(last).toMatchObject({ name: "two", limits: NONE, allow: {} });
    expect(await change({})).toEqual(last);
    expect(await list()).toEqual([{ ...last, open: { sockets: 0, subscriptions: 0 } }]);
    await rig.close();
  });

  test("rotating makes a second key of the same kind, and the first ends after the overlap", async () => {
    const { rig, ada, url, list } = await scene(store);
    const body = { name: "one", limits: { creditsPerDay: 5 }, allow: { agent: ["x"] } };
    const { key: old } = (await ada.post(url, body)).json();
    for (const overlap of ["1", "2y", "-1h", ""]) {
      const refused = await ada.post(`${url}/${old.id}/rotate`, { overlap });
      expect([refused.statusCode, refused.json().error.field], overlap).toEqual([
        400,
        "body.overlap",
      ]);
    }
    rig.wait(1);
    const reply = await ada.post(`${url}/${old.id}/rotate`, { overlap: "2h" });
    expect(reply.statusCode).toBe(201);
    const { key, secret, replaces, replacedEnds } = reply.json();
    expect([replaces, replacedEnds]).toEqual([old.id, "2026-11-21T15:30:30.001Z"]);
    expect(key).toMatchObject({ name: "one", limits: old.limits, allow: old.allow, expires: null });
    expect((await rig.storage.keys.findByHash(hashApiKey(secret)))?.key.id).toBe(key.id);
    rig.wait(2 * 3_600_000);
    expect((await list()).map(({ id, state }) => [id, state])).toEqual([
      [old.id, "expired"],
      [key.id, "active"],
    ]);
    const again = await ada.post(`${url}/${old.id}/rotate`);
    expect([again.statusCode, again.json().error.code]).toEqual([409, "conflict"]);
    await rig.close();
  });

  test("a revoked key stays revoked since the first time", async () => {
    const { rig, ada, url } = await scene(store);
    const { key } = (await ada.post(url, { name: "one" })).json();
    const first = (await ada.post(`${url}/${key.id}/revoke`)).json();
    expect(first).toMatchObject({ state: "revoked", revoked: "2026-11-21T13:30:30.000Z" });
    rig.wait(1000);
    expect((await ada.post(`${url}/${key.id}/revoke`)).json()).toEqual(first);
    await rig.close();
  });

  test("no more keys than the plan has are made, however many ask at once", async () => {
    const { rig, ada, url, list } = await scene(store);
    const replies = await Promise.all(
      Array.from({ length: 9 }, (_, place) => ada.post(url, { name: `key ${place}` })),
    );
    const statuses = replies.map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([201, 201, 201, 201, 201, 409, 409, 409, 409]);
    expect(await list()).toHaveLength(5);
    const refused = replies.find(({ statusCode }) => statusCode === 409);
    expect(refused?.json().error.message).toMatch(/5 active keys, as many as plan free allows/);
    await rig.close();
  });
});
