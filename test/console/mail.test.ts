import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { smtpMailer } from "../../src/console/mail/mailer.ts";
import { invitationMail } from "../../src/console/mail/texts.ts";
import { linkIn, MAIL_PASSWORD, type Mailbox, openMailbox } from "./support/mailbox.ts";
import { PASSWORD, startTestConsole } from "./support/test-console.ts";

let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await openMailbox();
});
afterAll(() => mailbox.close());

const FROM = "tollgate@example.com";
const MAIL = invitationMail("ada@example.com", {
  by: "Bob <b>\r\nBcc: eve@example.com",
  url: "https://gate.example.com/sign-up",
  account: "bob@example.com",
});

test("a mail has a plain part and an HTML part, and no header or element of what people wrote", async () => {
  const mailer = smtpMailer({ url: mailbox.url, from: FROM });
  await mailer.send(MAIL);
  const mail = await mailbox.next("ada@example.com");
  expect(mail.subject).toBe("You are invited to Tollgate - Tollgate");
  expect(linkIn(mail)).toBe("https://gate.example.com/sign-up");
  expect(mail.source).toMatch(/^From: Tollgate <tollgate@example.com>/m);
  expect(mail.source).toContain("Content-Type: text/html");
  expect(mail.source).not.toMatch(/^Bcc:/im);
  expect(mail.source).not.toContain("<b>\r");
  expect(mail.source).toContain("&lt;b&gt;");
  mailer.close();
});

test.each([
  [
    "a wrong password",
    (url: string) => url.replace(MAIL_PASSWORD, "another"),
    /refused the user or the password of mail.url \(SMTP 535\)/,
  ],
  ["a server that is not there", () => "smtp://127.0.0.1:1", /cannot be reached/],
])("%s is told without the password", async (_, change, reason) => {
  const url = change(mailbox.url);
  const mailer = smtpMailer({ url, from: FROM });
  const failure = await mailer.send(MAIL).catch((error: Error) => error);
  expect(failure).toMatchObject({ name: "MailError", message: expect.stringMatching(reason) });
  expect(String(failure)).not.toContain("another");
  mailer.close();
});

test("a refused recipient is told, without the server's own words", async () => {
  mailbox.refuse({ code: 550, text: "no such user a-secret-of-the-server" });
  const mailer = smtpMailer({ url: mailbox.url, from: FROM });
  const failure = String(await mailer.send(MAIL).catch((error: Error) => error.message));
  expect(failure).toBe("the mail server refused the sender or the recipient (SMTP 550)");
  mailbox.refuse(undefined);
  mailer.close();
});

test("a server that hangs keeps nobody who signs up waiting, and a failure is in the log without the link", async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const desk = await startTestConsole({ mailUrl: `smtp://127.0.0.1:${port}` });
  const body = { name: "Ada", email: "ada@example.com", password: PASSWORD, callbackURL: "/" };
  const began = performance.now();
  expect((await desk.browser().post("/api/auth/sign-up/email", body)).status).toBe(200);
  expect(performance.now() - began).toBeLessThan(3000);
  silent.close();
  await desk.stop();
  expect(desk.log()).toMatch(/"to":"ada@example.com".*"msg":"mail was not sent"/);
  expect(desk.log()).not.toMatch(/token=|verify-email/);
  expect(desk.log()).not.toContain(PASSWORD);
});
