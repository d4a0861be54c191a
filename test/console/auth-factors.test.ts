import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SoftPasskey } from "./support/authenticator.ts";
import type { Browser } from "./support/browser.ts";
import { linkIn } from "./support/mailbox.ts";
import { oneTimeCode } from "./support/one-time-code.ts";
import { PASSWORD, startTestConsole, type TestConsole } from "./support/test-console.ts";

let desk: TestConsole;
beforeAll(async () => {
  desk = await startTestConsole();
});
afterAll(() => desk.stop());

const signIn = (browser: Browser, email: string) =>
  browser.post("/api/auth/sign-in/email", { email, password: PASSWORD });
const isSignedIn = async (browser: Browser) => (await browser.get("/api/me")).status === 200;

async function actions(email: string): Promise<unknown[]> {
  const account = await desk.storage.accounts.findByEmail(email);
  const { entries } = await desk.storage.audit.page({ accountId: account?.id, limit: 50 });
  return entries.map(({ action, detail }) => [action, detail]).reverse();
}

type Enabled = { readonly totpURI: string; readonly backupCodes: readonly string[] };

async function withTwoFactors(email: string): Promise<Enabled & { readonly browser: Browser }> {
  const browser = await desk.signUp(email);
  await browser.get("/api/me");
  const enabled = await browser.post("/api/auth/two-factor/enable", { password: PASSWORD });
  const { totpURI, backupCodes } = enabled.json as Enabled;
  // Each code works once: that of now is for what follows.
  const code = oneTimeCode(totpURI, Date.now() - 30_000);
  const verified = await browser.post("/api/auth/two-factor/verify-totp", { code });
  expect(verified.status, verified.text).toBe(200);
  return { browser, totpURI, backupCodes };
}

describe("with two factors", () => {
  test("a password alone signs nobody in, a code does, and another code does not", async () => {
    const { totpURI, browser: first } = await withTwoFactors("ada@example.com");
    expect((await first.get("/api/me")).json).toMatchObject({ user: { twoFactor: true } });
    const ada = desk.browser();
    expect((await signIn(ada, "ada@example.com")).json).toMatchObject({ twoFactorRedirect: true });
    expect(await isSignedIn(ada)).toBe(false);
    const verify = (code: string) => ada.post("/api/auth/two-factor/verify-totp", { code });
    const right = oneTimeCode(totpURI);
    const wrong = right === "123456" ? "654321" : "123456";
    expect((await verify(wrong)).json).toMatchObject({ code: "INVALID_CODE" });
    expect(await isSignedIn(ada)).toBe(false);
    expect((await verify(right)).status).toBe(200);
    expect(await isSignedIn(ada)).toBe(true);
    expect(await actions("ada@example.com")).toEqual([
      ["account.create", { plan: "free" }],
      ["user.two_factor_enable", {}],
      ["user.sign_in", { with: "password and code" }],
    ]);
  });

  test("a code works once, in whichever browser, and not at all after it enabled the second factor", async () => {
    const email = "once@example.com";
    const { totpURI, browser } = await withTwoFactors(email);
    const enter = async (code: string) => {
      const person = desk.browser();
      await signIn(person, email);
      const verified = await person.post("/api/auth/two-factor/verify-totp", { code });
      return { status: verified.status, isIn: await isSignedIn(person) };
    };
    const code = oneTimeCode(totpURI);
    const entered = await Promise.all([enter(code), enter(code)]);
    expect(entered.map(({ isIn }) => isIn).sort()).toEqual([false, true]);
    expect(await enter(code)).toEqual({ status: 401, isIn: false });
    expect(await enter(oneTimeCode(totpURI, Date.now() - 30_000))).toEqual({
      status: 401,
      isIn: false,
    });
    expect(await enter(oneTimeCode(totpURI, Date.now() + 30_000))).toEqual({
      status: 200,
      isIn: true,
    });
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("codes cannot be guessed: five wrong ones end the attempt", async () => {
    const { totpURI } = await withTwoFactors("guess@example.com");
    const eve = desk.browser();
    await signIn(eve, "guess@example.com");
    const verify = (code: string) => eve.post("/api/auth/two-factor/verify-totp", { code });
    const right = oneTimeCode(totpURI);
    const wrong = right === "000000" ? "111111" : "000000";
    for (let attempt = 0; attempt < 5; attempt += 1) await verify(wrong);
    await verify(wrong);
    expect((await verify(oneTimeCode(totpURI))).status).toBeGreaterThanOrEqual(400);
    expect(await isSignedIn(eve)).toBe(false);
  });

  test("a backup code works once", async () => {
    const { backupCodes } = await withTwoFactors("bob@example.com");
    const [code = ""] = backupCodes;
    const use = async () => {
      const bob = desk.browser();
      await signIn(bob, "bob@example.com");
      await bob.post("/api/auth/two-factor/verify-backup-code", { code });
      return isSignedIn(bob);
    };
    expect([await use(), await use()]).toEqual([true, false]);
  });

  test("a link by mail is one factor, so the code is asked for after it too", async () => {
    const { totpURI } = await withTwoFactors("carol@example.com");
    const carol = desk.browser();
    const body = { email: "carol@example.com", callbackURL: "/keys" };
    await carol.post("/api/auth/sign-in/magic-link", body);
    const opened = await carol.get(linkIn(await desk.mailbox.next("carol@example.com")));
    expect(opened.status).toBe(302);
    expect(opened.headers.get("location")).toBe("/sign-in?step=two-factor");
    expect(await isSignedIn(carol)).toBe(false);
    const code = oneTimeCode(totpURI);
    await carol.post("/api/auth/two-factor/verify-totp", { code });
    expect(await isSignedIn(carol)).toBe(true);
  });

  test("they are turned off by who knows the password", async () => {
    const { browser } = await withTwoFactors("dora@example.com");
    const off = (password: string) => browser.post("/api/auth/two-factor/disable", { password });
    expect((await off("wrong password")).status).toBe(400);
    expect((await off(PASSWORD)).status).toBe(200);
    const dora = desk.browser();
    await signIn(dora, "dora@example.com");
    expect(await isSignedIn(dora)).toBe(true);
  });
});

describe("a passkey", () => {
  async function register(person: Browser, passkey: SoftPasskey) {
    const options = await person.get("/api/auth/passkey/generate-register-options");
    const made = options.json as { challenge: string; user: { id: string }; rp: object };
    expect(made).toMatchObject({
      rp: { id: "localhost", name: "Tollgate" },
      authenticatorSelection: { userVerification: "required", residentKey: "required" },
    });
    const body = { response: passkey.create(made), name: "Laptop" };
    return person.post("/api/auth/passkey/verify-registration", body);
  }

  async function authenticate(passkey: SoftPasskey, origin?: string) {
    const person = desk.browser();
    const options = await person.get("/api/auth/passkey/generate-authenticate-options");
    const response = passkey.get(options.json as { challenge: string }, origin);
    const answer = await person.post("/api/auth/passkey/verify-authentication", { response });
    return { person, answer };
  }

  test("signs in without a password, is listed, and does not once it is removed", async () => {
    const ada = await desk.signUp("key@example.com");
    await ada.get("/api/me");
    const passkey = new SoftPasskey(desk.origin);
    const registered = await register(ada, passkey);
    expect(registered.status, registered.text).toBe(200);
    const { person, answer } = await authenticate(passkey);
    expect(answer.status, answer.text).toBe(200);
    expect((await person.get("/api/me")).json).toMatchObject({
      user: { email: "key@example.com" },
    });
    const [listed] = (await ada.get("/api/auth/passkey/list-user-passkeys")).json as {
      id: string;
      name: string;
    }[];
    expect(listed?.name).toBe("Laptop");
    await ada.post("/api/auth/passkey/delete-passkey", { id: listed?.id });
    expect((await authenticate(passkey)).answer.status).toBe(401);
    expect(await actions("key@example.com")).toEqual([
      ["account.create", { plan: "free" }],
      ["user.passkey_add", {}],
      ["user.sign_in", { with: "passkey" }],
      ["user.passkey_remove", {}],
    ]);
  });

  test("that checks nobody, or was asked by another site, lets nobody in", async () => {
    const bob = await desk.signUp("plain@example.com");
    const careless = new SoftPasskey(desk.origin);
    careless.verifiesUser = false;
    expect((await register(bob, careless)).status).toBeGreaterThanOrEqual(400);

    const passkey = new SoftPasskey(desk.origin);
    await register(bob, passkey);
    passkey.verifiesUser = false;
    expect((await authenticate(passkey)).answer.json).toMatchObject({
      code: "USER_VERIFICATION_NEEDED",
    });
    passkey.verifiesUser = true;
    const phished = await authenticate(passkey, "https://localhost.evil.example");
    expect(phished.answer.status).toBe(400);
    expect(phished.person.cookies.has("tollgate.session_token")).toBe(false);
    expect((await authenticate(passkey)).answer.status).toBe(200);
  });

  test("is nobody's but its owner's to remove", async () => {
    const owner = await desk.signUp("mine@example.com");
    await register(owner, new SoftPasskey(desk.origin));
    const [listed] = (await owner.get("/api/auth/passkey/list-user-passkeys")).json as {
      id: string;
    }[];
    const eve = await desk.signUp("eve@example.com");
    const removed = await eve.post("/api/auth/passkey/delete-passkey", { id: listed?.id });
    expect(removed.status).toBeGreaterThanOrEqual(400);
    expect((await owner.get("/api/auth/passkey/list-user-passkeys")).json).toHaveLength(1);
  });
});
