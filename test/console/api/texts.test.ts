import { describe, expect, test } from "vitest";
import { latenciesAt } from "../../support/latencies-at.ts";
import { NASTY } from "./arbitrary.ts";
import { openRig, STORES } from "./support.ts";

/** What a key may be called: printable, of at most 100 characters. */
const NAMES = NASTY.filter((text) => {
  return text.trim() !== "" && text.length <= 100 && !/\p{Cc}/u.test(text) && text.isWellFormed();
});

describe.each(STORES)("texts that mean something elsewhere, in %s storage", (store) => {
  test("a key keeps its name to the letter, and it is data in every answer", async () => {
    const rig = await openRig({ store });
    const account = await rig.account("ada@example.com", { plan: "team" });
    const ada = rig.person(account.email);
    const url = `/api/accounts/${account.id}/keys`;
    for (const name of NAMES) {
      const made = await ada.post(url, { name });
      expect(made.statusCode, name).toBe(201);
      const { key } = made.json();
      expect(key.name).toBe(name);
      const renamed = await ada.ask("PATCH", `${url}/${key.id}`, {
        body: { name: `${name}!`.slice(0, 100) },
      });
      expect(renamed.json().name).toBe(`${name}!`.slice(0, 100));
    }
    const replies = [
      await ada.get(url),
      await ada.get(`/api/accounts/${account.id}/audit?limit=200`),
    ];
    for (const reply of replies) {
      expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
      for (const name of NAMES) expect(reply.body).toContain(JSON.stringify(name).slice(1, -1));
    }
    await rig.close();
  });

  test("a search finds what holds the text, each character for itself, and nothing else", async () => {
    const rig = await openRig({ store });
    const operator = await rig.account("operator@example.com", { operator: true });
    await rig.account("o'neil_50%@example.com");
    await rig.account("plain@example.com");
    const person = rig.person(operator.email);
    const search = async (text: string): Promise<string[]> => {
      const reply = await person.get(
        `/api/operator/accounts?${new URLSearchParams({ search: text })}`,
      );
      expect(reply.statusCode, text).toBe(200);
      return reply.json().items.map(({ email }: { email: string }) => email);
    };
    for (const text of ["'", "_50%", "O'NEIL"]) {
      expect(await search(text), text).toEqual(["o'neil_50%@example.com"]);
    }
    for (const text of NASTY.filter(
      (one) => one.trim() !== "" && one.length < 255 && one.isWellFormed(),
    )) {
      if (text === "-1") continue;
      expect(await search(text), text).toEqual([]);
    }
    expect(await search("")).toHaveLength(3);
    await rig.close();
  });

  test("a filter of the usage is a value, whatever it holds", async () => {
    const rig = await openRig({ store });
    const account = await rig.account("ada@example.com");
    const ada = rig.person(account.email);
    const minute = Math.floor(rig.parts.clock.now() / 60_000);
    const network = "' OR '1'='1";
    const bucket = {
      ...{
        minute,
        accountId: account.id,
        keyId: "key_a",
        network,
        method: '"><script>alert(1)</script>',
      },
      ...{
        outcome: "ok",
        calls: 2,
        credits: 160,
        bytes: 1,
        latencyMs: 1,
        latencies: latenciesAt(1, 2),
      },
    };
    await rig.storage.usage.record([bucket, { ...bucket, network: "mainnet", calls: 5 }], []);
    const calls = async (filter: Record<string, string>): Promise<number> => {
      const query = new URLSearchParams(filter);
      const reply = await ada.get(`/api/accounts/${account.id}/usage/table?${query}`);
      expect(reply.headers["content-type"]).toMatch(/^application\/json/);
      return reply.json().rows.reduce((sum: number, row: { calls: number }) => sum + row.calls, 0);
    };
    expect(await calls({ network })).toBe(2);
    expect(await calls({ network: "' OR 1=1 --" })).toBe(0);
    expect(await calls({ key: network })).toBe(0);
    expect(await calls({})).toBe(7);
    await rig.close();
  });

  test("a text that was half sent, or holds a key, gets into no name", async () => {
    const rig = await openRig({ store });
    const account = await rig.account("ada@example.com");
    const ada = rig.person(account.email);
    const { text } = await rig.key(account);
    for (const name of ["", "  ", "a\nb", `my ${text}`, "x".repeat(101), "Explorer (dashboard)"]) {
      const reply = await ada.post(`/api/accounts/${account.id}/keys`, { name });
      expect(reply.statusCode, JSON.stringify(name)).toBe(400);
      expect(reply.json().error.field).toBe("body.name");
      expect(reply.body).not.toContain(text);
    }
    await rig.close();
  });
});

test("what was pasted into an address or a header stands in no log and, cut and redacted, in the audit log", async () => {
  const rig = await openRig();
  const account = await rig.account("ada@example.com");
  const ada = rig.person(account.email);
  const { text } = await rig.key(account);
  await ada.get(`/api/accounts/${text}/keys/${text}?x=${text}`);
  const headers = { "user-agent": `mine/1 ${text} ${"x".repeat(5000)}` };
  await ada.ask("POST", `/api/accounts/${account.id}/keys`, { body: { name: "one" }, headers });
  const { items } = (await ada.get(`/api/accounts/${account.id}/audit`)).json();
  expect(items[0].agent).toMatch(/^mine\/1 tg_\[redacted\] x+$/);
  expect(items[0].agent.length).toBeLessThanOrEqual(300);
  expect(rig.log()).not.toContain(text);
  await rig.close();
});
