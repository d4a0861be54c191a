import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/access/ids.ts";
import type { Browser } from "./support/browser.ts";
import { linkIn } from "./support/mailbox.ts";
import { PASSWORD, startTestConsole, type TestConsole } from "./support/test-console.ts";

const signUp = (browser: Browser, email: string, over: object = {}) => {
  const body = { name: "Ada", email, password: PASSWORD, callbackURL: "/", ...over };
  return browser.post("/api/auth/sign-up/email", body);
};

/** The answer without what is made up anew each time. */
const shape = (json: unknown): unknown =>
  JSON.parse(
    JSON.stringify(json, (name, value) =>
      ["id", "createdAt", "updatedAt", "email"].includes(name) ? typeof value : value,
    ),
  );

describe("where anybody may sign up", () => {
  let desk: TestConsole;
  beforeAll(async () => {
    desk = await startTestConsole({ console: { signup: "open" } });
  });
  afterAll(() => desk.stop());

  test("a person is signed in by the link that was mailed, and not before", async () => {
    const ada = desk.browser();
    const signedUp = await signUp(ada, "ada@example.com");
    expect(signedUp.status, signedUp.text).toBe(200);
    expect([...ada.cookies.keys()]).toEqual(["tollgate.sign_up"]);
    expect((await ada.get("/api/me")).status).toBe(401);

    const body = { email: "ada@example.com", password: PASSWORD };
    const early = await ada.post("/api/auth/sign-in/email", body);
    expect(early.status).toBe(401);
    expect(early.json).toMatchObject({ code: "INVALID_EMAIL_OR_PASSWORD" });

    const mail = await desk.mailbox.next("ada@example.com");
    expect(mail.subject).toBe("Confirm your e-mail address - Tollgate");
    const opened = await ada.get(linkIn(mail));
    expect(opened.status, opened.text).toBe(302);
    expect(opened.headers.get("location")).toBe("/");
    expect((await ada.get("/api/me")).json).toMatchObject({
      user: { email: "ada@example.com", name: "Ada", twoFactor: false },
      accounts: [{ email: "ada@example.com", plan: "free", role: "owner" }],
    });
  });

  test("an e-mail that has signed up before gets a mail, and the form tells nobody", async () => {
    await desk.signUp("bob@example.com");
    const again = await signUp(desk.browser(), "BOB@example.com");
    const fresh = await signUp(desk.browser(), "carol@example.com");
    expect(again.status).toBe(fresh.status);
    expect(shape(again.json)).toEqual(shape(fresh.json));
    const mail = await desk.mailbox.next("bob@example.com");
    expect(mail.subject).toBe("You already have an account - Tollgate");
    expect(linkIn(mail)).toBe(`${desk.origin}/sign-in`);
  });

  test("a name is one line of at most 100 characters, and a password is none of few", async () => {
    const email = "dora@example.com";
    const short = await signUp(desk.browser(), email, { password: "seven77" });
    expect(short.json).toMatchObject({ code: "PASSWORD_TOO_SHORT" });
    const name = `Dora\r\nBcc: eve@example.com ${"x".repeat(300)}`;
    const dora = desk.browser();
    await signUp(dora, email, { name, image: "https://evil.example/pixel.png" });
    const mail = await desk.mailbox.next(email);
    expect(mail.source).not.toMatch(/^Bcc:/im);
    await dora.get(linkIn(mail));
    const { user } = (await dora.get("/api/auth/get-session")).json as { user: { name: string } };
    expect(user).toMatchObject({ image: null });
    expect(user.name).toMatch(/^Dora Bcc: eve@example.com x+$/);
    expect(user.name).toHaveLength(100);
  });
});

describe("by invitation", () => {
  let desk: TestConsole;
  beforeAll(async () => {
    desk = await startTestConsole({ console: { signup: "invite" } });
    const { id } = await desk.account("owner@example.com");
    await desk.storage.members.add({
      id: createId("mem", randomBytes),
      accountId: id,
      email: "Member@example.com",
      addedAt: Date.now(),
      addedBy: "owner@example.com",
    });
  });
  afterAll(() => desk.stop());

  test.each(["owner@example.com", "member@example.com"])("%s signs up", async (email) => {
    const person = await desk.signUp(email);
    expect((await person.get("/api/me")).json).toMatchObject({ user: { email } });
  });

  test("others get the same answer, no mail and no user", async () => {
    const refused = await signUp(desk.browser(), "eve@example.com");
    const invited = await desk.account("late@example.com");
    const taken = await signUp(desk.browser(), invited.email);
    expect(refused.status).toBe(taken.status);
    expect(shape(refused.json)).toEqual(shape(taken.json));
    await desk.mailbox.next(invited.email);
    expect(desk.mailbox.mails.filter(({ to }) => to === "eve@example.com")).toEqual([]);
    const body = { email: "eve@example.com", password: PASSWORD };
    const signedIn = await desk.browser().post("/api/auth/sign-in/email", body);
    expect(signedIn.json).toMatchObject({ code: "INVALID_EMAIL_OR_PASSWORD" });
  });

  test("a link to sign in is mailed to whom it may let in, and nobody is told to whom", async () => {
    await desk.account("link@example.com");
    const ask = (email: string) =>
      desk.browser().post("/api/auth/sign-in/magic-link", { email, callbackURL: "/" });
    const unknown = await ask("mallory@example.com");
    const known = await ask("link@example.com");
    expect(unknown).toMatchObject({ status: 200, text: known.text });
    const link = linkIn(await desk.mailbox.next("link@example.com"));
    const person = desk.browser();
    expect((await person.get(link)).headers.get("location")).toBe(`${desk.origin}/`);
    expect((await person.get("/api/me")).status).toBe(200);
    expect(desk.mailbox.mails.filter(({ to }) => to === "mallory@example.com")).toEqual([]);
  });
});

describe("where it is closed", () => {
  let desk: TestConsole;
  beforeAll(async () => {
    desk = await startTestConsole({ console: { signup: "closed" }, mail: false });
    await desk.account("owner@example.com");
  });
  afterAll(() => desk.stop());

  test.each(["owner@example.com", "eve@example.com"])("%s cannot sign up", async (email) => {
    const answer = await signUp(desk.browser(), email);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ code: "EMAIL_PASSWORD_SIGN_UP_DISABLED" });
  });

  test("the owner of an account signs in by a link of the command line, and nobody else", async () => {
    const owner = await desk.signIn("owner@example.com");
    expect((await owner.get("/api/me")).json).toMatchObject({
      accounts: [{ email: "owner@example.com", role: "owner" }],
    });
    const eve = await desk.signIn("eve@example.com");
    expect(eve.cookies.size).toBe(0);
    expect((await eve.get("/api/me")).status).toBe(401);
  });

  test("what needs mail says that there is none", async () => {
    const ask = (path: string) =>
      desk.browser().post(`/api/auth/${path}`, { email: "owner@example.com" });
    expect((await ask("request-password-reset")).json).toMatchObject({
      code: "RESET_PASSWORD_DISABLED",
    });
    expect((await ask("sign-in/magic-link")).status).toBe(404);
  });
});
