import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "./support/browser.ts";
import { linkIn } from "./support/mailbox.ts";
import { PASSWORD, startTestConsole, type TestConsole } from "./support/test-console.ts";
import { askUserTables } from "./support/user-tables.ts";

let desk: TestConsole;
beforeAll(async () => {
  desk = await startTestConsole();
});
afterAll(() => desk.stop());

const signIn = (browser: Browser, email: string, password = PASSWORD) =>
  browser.post("/api/auth/sign-in/email", { email, password });
const isSignedIn = async (browser: Browser) => (await browser.get("/api/me")).status === 200;

async function actions(email: string): Promise<string[]> {
  const account = await desk.storage.accounts.findByEmail(email);
  const { entries } = await desk.storage.audit.page({ accountId: account?.id, limit: 50 });
  return entries.map(({ action }) => action).reverse();
}

test("a session is listed with where it came from, and ends at once when it is revoked", async () => {
  const here = await desk.signUp("ada@example.com");
  await here.get("/api/me");
  const there = desk.browser();
  const phone = { headers: { "user-agent": "Phone/1" } };
  const body = { email: "ada@example.com", password: PASSWORD };
  await there.post("/api/auth/sign-in/email", body, phone);
  expect(await isSignedIn(there)).toBe(true);

  const listed = (await here.get("/api/auth/list-sessions")).json as Record<string, string>[];
  expect(listed).toHaveLength(2);
  const phones = listed.find(({ userAgent }) => userAgent === "Phone/1");
  expect(phones?.["ipAddress"]).toBe(there.address);
  const revoked = await here.post("/api/auth/revoke-session", { id: phones?.["id"] });
  expect(revoked.status).toBe(200);
  expect(await isSignedIn(there)).toBe(false);
  expect(await isSignedIn(here)).toBe(true);

  await signIn(there, "ada@example.com");
  await here.post("/api/auth/revoke-other-sessions");
  expect([await isSignedIn(there), await isSignedIn(here)]).toEqual([false, true]);

  const stolen = desk.browser();
  for (const [name, value] of here.cookies) stolen.cookies.set(name, value);
  await here.post("/api/auth/sign-out");
  expect(here.cookies.size).toBe(0);
  expect(await isSignedIn(stolen)).toBe(false);
  expect(await actions("ada@example.com")).toEqual([
    "account.create",
    "user.sign_in",
    "user.session_revoke",
    "user.sign_in",
    "user.session_revoke",
    "user.sign_out",
  ]);
});

test("no answer holds a session's token: a script in a page could carry it off", async () => {
  const person = desk.browser();
  await desk.signUp("carla@example.com");
  const answers = [
    await signIn(person, "carla@example.com"),
    await person.get("/api/auth/get-session"),
    await person.get("/api/auth/list-sessions"),
  ];
  const [value = ""] = [...person.cookies.values()];
  const [token = "none"] = decodeURIComponent(value).split(".");
  for (const { status, text } of answers) {
    expect(status).toBe(200);
    expect(text).not.toContain(token);
    expect(text).not.toContain('"token"');
  }
});

test("one person's session cannot be revoked by another, who knows its id", async () => {
  const ada = await desk.signUp("ada2@example.com");
  const eve = await desk.signUp("eve2@example.com");
  const [own] = (await ada.get("/api/auth/list-sessions")).json as { id: string }[];
  await eve.post("/api/auth/revoke-session", { id: own?.id });
  expect(await isSignedIn(ada)).toBe(true);
});

test("a session's cookie is out of reach of scripts and other sites, and its value of the store", async () => {
  await desk.signUp("bob@example.com");
  const bob = desk.browser();
  const signedIn = await signIn(bob, "bob@example.com");
  const [cookie = ""] = signedIn.headers.getSetCookie();
  expect(cookie).toMatch(
    /^tollgate\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  expect(signedIn.headers.get("cache-control")).toBe("no-store");
  const [name = "", value = ""] = [...bob.cookies][0] ?? [];
  // The store has the token, which is worth nothing without the signature.
  const [token = ""] = decodeURIComponent(value).split(".");
  const forged = desk.browser();
  for (const each of [token, `${token}.`, `${token}.AAAA`]) {
    forged.cookies.set(name, encodeURIComponent(each));
    expect(await isSignedIn(forged)).toBe(false);
  }
});

test("over https the cookie is sent over nothing else", async () => {
  const safe = await startTestConsole({ console: { publicUrl: "https://gate.example.com" } });
  try {
    const bob = await safe.signUp("bob@example.com");
    expect([...bob.cookies.keys()]).toEqual(["__Secure-tollgate.session_token"]);
    const again = await signIn(safe.browser(), "bob@example.com");
    expect(again.headers.getSetCookie()[0]).toContain("; Secure;");
    expect(again.headers.get("strict-transport-security")).toMatch(/^max-age=31536000/);
  } finally {
    await safe.stop();
  }
});

test("a session that was there before a sign-in is not the one after it", async () => {
  const eve = await desk.signUp("eve@example.com");
  await desk.signUp("victim@example.com");
  const planted = [...eve.cookies];
  const victim = desk.browser();
  for (const [name, value] of planted) victim.cookies.set(name, value);
  expect((await signIn(victim, "victim@example.com")).status).toBe(200);
  expect([...victim.cookies]).not.toEqual(planted);
  const email = async (browser: Browser) =>
    ((await browser.get("/api/me")).json as { user: { email: string } }).user.email;
  expect(await email(victim)).toBe("victim@example.com");
  expect(await email(eve)).toBe("eve@example.com");
});

test("a new password ends all sessions, is told by mail, and its link works once", async () => {
  const carol = await desk.signUp("carol@example.com");
  await carol.get("/api/me");
  const ask = (email: string) =>
    desk.browser().post("/api/auth/request-password-reset", { email, redirectTo: "/reset" });
  const unknown = await ask("nobody@example.com");
  const known = await ask("carol@example.com");
  expect(unknown).toMatchObject({ status: 200, text: known.text });
  const link = new URL(linkIn(await desk.mailbox.next("carol@example.com")));
  expect(`${link.origin}${link.pathname}`).toBe(`${desk.origin}/reset`);
  const token = link.searchParams.get("token") ?? "";
  const reset = { token, newPassword: "another battery staple" };
  expect((await desk.browser().post("/api/auth/reset-password", reset)).status).toBe(200);
  expect(await isSignedIn(carol)).toBe(false);
  expect((await desk.browser().post("/api/auth/reset-password", reset)).json).toMatchObject({
    code: "INVALID_TOKEN",
  });
  expect((await desk.mailbox.next("carol@example.com")).subject).toMatch(
    /^Your password was changed/,
  );
  expect((await signIn(carol, "carol@example.com")).status).toBe(401);
  expect((await signIn(carol, "carol@example.com", reset.newPassword)).status).toBe(200);
  expect(desk.mailbox.mails.filter(({ to }) => to === "nobody@example.com")).toEqual([]);
  expect(await actions("carol@example.com")).toEqual([
    "account.create",
    "user.password_reset",
    "user.sign_in_failed",
    "user.sign_in",
  ]);
});

test("a password is changed by who knows it, and other sessions end where that is asked for", async () => {
  const dora = await desk.signUp("dora@example.com");
  const other = desk.browser();
  await signIn(other, "dora@example.com");
  const change = (currentPassword: string) =>
    dora.post("/api/auth/change-password", {
      currentPassword,
      newPassword: "a longer battery",
      revokeOtherSessions: true,
    });
  expect((await change("wrong one")).status).toBe(400);
  expect(await isSignedIn(other)).toBe(true);
  expect((await change(PASSWORD)).status).toBe(200);
  expect([await isSignedIn(other), await isSignedIn(dora)]).toEqual([false, true]);
});

test("a link to sign in works once, for 15 minutes, and stands in no file", async () => {
  await desk.account("linked@example.com");
  const fresh = desk.browser();
  const ask = async () => {
    const body = { email: "linked@example.com", callbackURL: "/" };
    await desk.browser().post("/api/auth/sign-in/magic-link", body);
    return linkIn(await desk.mailbox.next("linked@example.com"));
  };
  const first = await ask();
  const token = new URL(first).searchParams.get("token") ?? "";
  const { storage } = desk.config;
  const rows = await askUserTables(
    storage,
    'SELECT "identifier", "value", "expiresAt" FROM "verification"',
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(token);
  const leftMs = rows.map(({ expiresAt }) => new Date(String(expiresAt)).getTime() - Date.now());
  expect(Math.max(...leftMs)).toBeLessThanOrEqual(60 * 60_000);
  await fresh.get(first);
  expect(await isSignedIn(fresh)).toBe(true);
  const second = desk.browser();
  expect((await second.get(first)).headers.get("location")).toMatch(/\/\?error=INVALID_TOKEN$/);
  expect(await isSignedIn(second)).toBe(false);

  const late = await ask();
  const past = new Date(Date.now() - 1000).toISOString();
  await askUserTables(storage, 'UPDATE "verification" SET "expiresAt" = ?', past);
  await second.get(late);
  expect(await isSignedIn(second)).toBe(false);
});
