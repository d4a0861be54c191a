import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "./support/browser.ts";
import { PASSWORD, startTestConsole, type TestConsole } from "./support/test-console.ts";
import { askUserTables } from "./support/user-tables.ts";

const EMAIL = "operator@example.com";
const PATH = "/api/auth/set-first-password";

let desk: TestConsole;
beforeAll(async () => {
  desk = await startTestConsole({ mail: false, console: { signup: "closed" } });
  await desk.account(EMAIL, { operator: true });
});
afterAll(() => desk.stop());

const hasPassword = async (browser: Browser) =>
  ((await browser.get("/api/me")).json as { user: { hasPassword: boolean } }).user.hasPassword;
const signIn = (browser: Browser, password: string) =>
  browser.post("/api/auth/sign-in/email", { email: EMAIL, password });

test("nobody sets a password without a session, or with one that began long ago", async () => {
  expect((await desk.browser().post(PATH, { newPassword: PASSWORD })).status).toBe(401);
  const browser = await desk.signIn(EMAIL);
  const [{ createdAt } = {}] = await askUserTables(
    desk.config.storage,
    'SELECT "createdAt" FROM "session"',
  );
  const old = new Date(new Date(createdAt as string).getTime() - 25 * 3_600_000);
  await askUserTables(
    desk.config.storage,
    'UPDATE "session" SET "createdAt" = ?',
    old.toISOString(),
  );
  expect(await browser.post(PATH, { newPassword: PASSWORD })).toMatchObject({
    status: 403,
    json: { code: "SESSION_NOT_FRESH" },
  });
  expect(await hasPassword(browser)).toBe(false);
});

test("without mail the first operator, who came by a link, sets a password, once, and signs in with it", async () => {
  const browser = await desk.signIn(EMAIL);
  expect(await hasPassword(browser)).toBe(false);
  for (const [newPassword, code] of [
    ["short", "PASSWORD_TOO_SHORT"],
    ["x".repeat(129), "PASSWORD_TOO_LONG"],
  ]) {
    expect(await browser.post(PATH, { newPassword })).toMatchObject({
      status: 400,
      json: { code },
    });
  }
  expect((await signIn(desk.browser(), PASSWORD)).status).toBe(401);

  expect((await browser.post(PATH, { newPassword: PASSWORD })).status).toBe(200);
  expect(await hasPassword(browser)).toBe(true);
  const elsewhere = desk.browser();
  expect((await signIn(elsewhere, PASSWORD)).status).toBe(200);
  expect((await elsewhere.get("/api/me")).json).toMatchObject({ operator: true });

  expect(await browser.post(PATH, { newPassword: "a wholly other one" })).toMatchObject({
    status: 400,
    json: { code: "PASSWORD_ALREADY_SET" },
  });
  expect((await signIn(desk.browser(), "a wholly other one")).status).toBe(401);
  const account = await desk.storage.accounts.findByEmail(EMAIL);
  const { entries } = await desk.storage.audit.page({ accountId: account?.id, limit: 50 });
  const changes = entries.filter(({ action }) => action === "user.password_change");
  expect(changes).toMatchObject([{ actor: { email: EMAIL }, detail: { which: "first" } }]);
});
