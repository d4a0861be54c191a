import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { AlertSettings, AlertStore } from "../../storage/console-stores.ts";
import { sealedAlerts, sealOldSecrets } from "./sealed-secrets.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const settingsOf = (accountId: string): AlertSettings => ({
  accountId,
  thresholds: [75],
  emails: [],
  webhook: { url: "https://example.com/hook", secret: SECRET },
});

function memory() {
  const rows = new Map<string, AlertSettings>();
  const store = {
    read: async (accountId: string) => rows.get(accountId),
    list: async () => [...rows.values()],
    write: async (settings: AlertSettings) => void rows.set(settings.accountId, settings),
  } as unknown as AlertStore;
  return { rows, store };
}

const sealedBy = (store: AlertStore, secret: string) =>
  sealedAlerts(store, { secret, random: randomBytes });

test("a secret is not in the store, and is read as it was written", async () => {
  const { rows, store } = memory();
  const sealed = sealedBy(store, "one");
  await sealed.write(settingsOf("acct_1"));
  expect(JSON.stringify([...rows])).not.toContain(SECRET.slice(6, 20));
  expect(await sealed.read("acct_1")).toEqual(settingsOf("acct_1"));
  expect(await sealed.list()).toEqual([settingsOf("acct_1")]);
});

test("another console.secret, a changed text and another account's row read as no webhook", async () => {
  const { rows, store } = memory();
  const sealed = sealedBy(store, "one");
  await sealed.write(settingsOf("acct_1"));
  const row = rows.get("acct_1") as AlertSettings;
  const webhookOf = async (reader: AlertStore, account: string) =>
    (await reader.read(account))?.webhook;
  expect(await webhookOf(sealedBy(store, "two"), "acct_1")).toBeNull();
  rows.set("acct_2", { ...row, accountId: "acct_2" });
  expect(await webhookOf(sealed, "acct_2")).toBeNull();
  const secret = `${row.webhook?.secret.slice(0, -4)}AAAA`;
  rows.set("acct_1", { ...row, webhook: { url: "https://example.com/hook", secret } });
  expect(await webhookOf(sealed, "acct_1")).toBeNull();
});

test("what an older version wrote in clear is read, and sealed at the start", async () => {
  const { rows, store } = memory();
  rows.set("acct_1", settingsOf("acct_1"));
  const sealed = sealedBy(store, "one");
  expect(await sealed.read("acct_1")).toEqual(settingsOf("acct_1"));
  await sealOldSecrets(store, sealed);
  const first = rows.get("acct_1")?.webhook?.secret;
  expect(first).toMatch(/^sealed_1:/);
  expect(await sealed.read("acct_1")).toEqual(settingsOf("acct_1"));
  await sealOldSecrets(store, sealed);
  expect(rows.get("acct_1")?.webhook?.secret).toBe(first);
});
