import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, Reply } from "./support/browser.ts";
import { linkIn } from "./support/mailbox.ts";
import { PASSWORD, startTestConsole, type TestConsole } from "./support/test-console.ts";
import { askUserTables } from "./support/user-tables.ts";

const STRANGERS = "the stranger's own password";

const signUp = (browser: Browser, email: string, password: string) =>
  browser.post("/api/auth/sign-up/email", { name: "Ada", email, password, callbackURL: "/" });
const signIn = (browser: Browser, email: string, password: string) =>
  browser.post("/api/auth/sign-in/email", { email, password });
const isIn = async (browser: Browser) => (await browser.get("/api/me")).status === 200;

describe.each(["invite", "open"] as const)("with signup: %s", (signup) => {
  let desk: TestConsole;
  beforeAll(async () => {
    desk = await startTestConsole({ console: { signup } });
  });
  afterAll(() => desk.stop());

  let people = 0;
  /** A person whom an account belongs to, and the mail that a stranger's sign-up sends them. */
  const scene = async () => {
    people += 1;
    const email = `operator-${people}@example.com`;
    await desk.account(email, { operator: true });
    const stranger = desk.browser();
    await signUp(stranger, email, STRANGERS);
    return { email, stranger, operator: desk.browser(), link: await linkTo(email) };
  };
  const linkTo = async (email: string) => linkIn(await desk.mailbox.next(email));
  const opened = (reply: Reply) => reply.headers.get("location");

  test("who opens the link of a stranger's sign-up lets nobody in", async () => {
    const { email, stranger, operator, link } = await scene();
    expect(opened(await operator.get(link))).toMatch(/^\/verify\?confirm=[\w-]+$/);
    expect(await isIn(operator)).toBe(false);
    expect((await signIn(stranger, email, STRANGERS)).status).toBe(401);
    // Not with the operator's own wish for a password either.
    const token = new URL(link).searchParams.get("token");
    const wrong = await operator.post("/api/auth/confirm-sign-up", { token, password: PASSWORD });
    expect(wrong).toMatchObject({ status: 401, json: { code: "INVALID_SIGN_UP_PASSWORD" } });
    expect((await signIn(stranger, email, STRANGERS)).status).toBe(401);
    expect(await isIn(stranger)).toBe(false);
  });

  test("who signs up after a stranger gets in with the own password, and the stranger does not", async () => {
    const { email, stranger, operator, link } = await scene();
    await signUp(operator, email, PASSWORD);
    const own = await linkTo(email);
    await operator.get(link);
    expect(await isIn(operator)).toBe(false);
    await operator.get(own);
    expect(await isIn(operator)).toBe(true);
    expect((await signIn(desk.browser(), email, PASSWORD)).status).toBe(200);
    expect((await signIn(stranger, email, STRANGERS)).status).toBe(401);
  });

  test("a sign-up of before says nothing once somebody signed in by a link", async () => {
    const { email, stranger, operator, link } = await scene();
    await operator.post("/api/auth/sign-in/magic-link", { email, callbackURL: "/" });
    await operator.get(await linkTo(email));
    expect(await isIn(operator)).toBe(true);
    // Even in the browser that signed up, as if the mail were known.
    expect(opened(await stranger.get(link))).toBe("/?error=INVALID_TOKEN");
    expect(await isIn(stranger)).toBe(false);
    expect((await signIn(stranger, email, STRANGERS)).status).toBe(401);
  });

  test("the link opens in another browser with the password of the sign-up, once", async () => {
    people += 1;
    const email = `phone-${people}@example.com`;
    await desk.account(email);
    await signUp(desk.browser(), email, PASSWORD);
    const link = await linkTo(email);
    const token = new URL(link).searchParams.get("token");
    const phone = desk.browser();
    await phone.get(link);
    expect(await isIn(phone)).toBe(false);
    const confirm = () => phone.post("/api/auth/confirm-sign-up", { token, password: PASSWORD });
    expect(await confirm()).toMatchObject({ status: 200, json: { status: true } });
    expect(await isIn(phone)).toBe(true);
    expect(await confirm()).toMatchObject({ status: 401, json: { code: "INVALID_TOKEN" } });
    expect(opened(await desk.browser().get(link))).toBe("/?error=INVALID_TOKEN");
  });

  test("a stranger who asks for a new password for an e-mail gets nothing of it", async () => {
    const { email, stranger } = await scene();
    const asked = await stranger.post("/api/auth/request-password-reset", { email });
    expect(asked.status).toBe(200);
    expect((await signIn(stranger, email, STRANGERS)).status).toBe(401);
  });
});

test("users that an older version made, and nobody confirmed, are gone with their passwords", async () => {
  const desk = await startTestConsole();
  await desk.signUp("ada@example.com");
  await desk.stop();
  const { storage } = desk.config;
  await askUserTables(storage, `UPDATE "user" SET "emailVerified" = false`);
  const again = await startTestConsole({ folder: desk.folder });
  try {
    expect((await signIn(again.browser(), "ada@example.com", PASSWORD)).status).toBe(401);
    const person = await again.signUp("ada@example.com");
    expect(await isIn(person)).toBe(true);
  } finally {
    await again.stop();
  }
  expect(await askUserTables(storage, 'SELECT "id" FROM "account"')).toHaveLength(1);
});
