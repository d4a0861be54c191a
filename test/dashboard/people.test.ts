import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { linkIn } from "../console/support/mailbox.ts";
import { oneTimeCode } from "../console/support/one-time-code.ts";
import { PASSWORD } from "../console/support/test-console.ts";
import { recordKey } from "../support/written.ts";
import { type Dashboard, startDashboard } from "./support/dashboard.ts";
import {
  button,
  callBalance,
  go,
  heading,
  row,
  signInByPassword,
  signOut,
  signUp,
} from "./support/steps.ts";
import { openBrowser, type TestBrowser, type Visitor } from "./support/test-browser.ts";

/** An account of this plan may make 100 calls of 80 credits per day. */
const PLANS = { small: { dailyCredits: 8000, creditsPerSecond: 8000 } };
const NEW_PASSWORD = "another horse battery";

let dashboard: Dashboard;
let browser: TestBrowser;
beforeAll(async () => {
  [dashboard, browser] = await Promise.all([startDashboard({ plans: PLANS }), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await dashboard?.stop();
});
afterEach(async () => {
  expect(await browser.leave()).toEqual([]);
});

/** On the settings of somebody who has just signed up. */
async function settingsOf(email: string): Promise<Visitor> {
  const visitor = await browser.visit(dashboard);
  await dashboard.signIn(visitor, email);
  await visitor.open("/settings");
  await heading(visitor.page, "Settings").waitFor();
  return visitor;
}

/** A page that only people who are signed in see. */
const isInside = ({ page }: Visitor) => button(page, "Sign out").waitFor();

test("a passkey that was added signs in without a password, and not after it was removed", async () => {
  const visitor = await settingsOf("passkey@example.com");
  const { page, context } = visitor;
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  await button(page, "Add a passkey").click();
  await page.getByRole("dialog").getByLabel("Name").fill("Laptop");
  await button(page, "Continue").click();
  await page.getByRole("listitem").filter({ hasText: "Laptop" }).waitFor();

  await signOut(page);
  await button(page, "Use a passkey").click();
  await isInside(visitor);

  await visitor.open("/settings");
  await page.getByRole("listitem").filter({ hasText: "Laptop" }).getByText("Remove").click();
  await button(page, "Remove the passkey").click();
  await page.getByText("No passkey yet").waitFor();
  await signOut(page);
  visitor.allow(/status of 401/);
  await button(page, "Use a passkey").click();
  await page.getByRole("alert").waitFor();
});

test("with a second factor the password alone opens nothing; a code or a backup code does", async () => {
  const email = "factors@example.com";
  const visitor = await settingsOf(email);
  const { page } = visitor;
  await button(page, "Turn on").click();
  await page.getByRole("dialog").getByLabel("Your password").fill(PASSWORD);
  await button(page, "Continue").click();
  const uri = await page.getByRole("link", { name: "open the app with it" }).getAttribute("href");
  // Each code works once, and the server takes that of the step before and after its own. The code of
  // now and then the next one stay within this when a step ends between reading and sending.
  const first = oneTimeCode(uri ?? "", Date.now());
  await page.getByRole("dialog").getByLabel("Code").fill(first);
  await button(page, "Turn it on").click();
  const shown = page.getByRole("figure", { name: "Backup codes" }).locator("pre");
  const [backupCode = ""] = ((await shown.textContent()) ?? "").split("\n");
  await button(page, "I have saved them").click();
  await button(page, "New backup codes").waitFor();

  await signOut(page);
  await signInByPassword(page, email);
  await heading(page, "Second factor").waitFor();
  const outside = await browser.visit(dashboard);
  await outside.context.addCookies(await visitor.context.cookies());
  await outside.open("/usage");
  await heading(outside.page, "Sign in").waitFor();
  await page.getByLabel("Code").fill(oneTimeCode(uri ?? "", Date.now() + 30_000));
  await button(page, "Sign in").click();
  await isInside(visitor);

  for (const works of [true, false]) {
    await signOut(page);
    await signInByPassword(page, email);
    await button(page, "Use a backup code").click();
    await page.getByLabel("Backup code").fill(backupCode);
    if (!works) visitor.allow(/status of 401/);
    await button(page, "Sign in").click();
    if (works) await isInside(visitor);
    else await page.getByText("This backup code is wrong or was already used").waitFor();
  }
});

test("a forgotten password is set anew by mail, once, and every session ends", async () => {
  const email = "forgot@example.com";
  const signedIn = await settingsOf(email);
  const { page, open } = await browser.visit(dashboard);
  await open("/sign-in");
  await page.getByRole("link", { name: "Forgotten?" }).click();
  await heading(page, "Set a new password").waitFor();
  await page.getByLabel("E-mail").fill(email);
  await button(page, "Send the link").click();
  await heading(page, "Check your e-mail").waitFor();
  const link = linkIn(await dashboard.mailbox.next(email));
  await page.goto(link);
  await page.getByLabel("New password").fill(NEW_PASSWORD);
  await button(page, "Set the password").click();
  await heading(page, "Your new password is set").waitFor();
  expect((await dashboard.mailbox.next(email)).subject).toMatch(/password/i);

  await signedIn.page.reload();
  await heading(signedIn.page, "Sign in").waitFor();
  await page.getByRole("link", { name: "Sign in" }).click();
  await signInByPassword(page, email, NEW_PASSWORD);
  await button(page, "Sign out").waitFor();

  signedIn.allow(/status of 400/);
  await signedIn.page.goto(link);
  await signedIn.page.getByLabel("New password").fill(PASSWORD);
  await button(signedIn.page, "Set the password").click();
  await signedIn.page.getByText("This link has expired or was already used").waitFor();
});

test("who signs in by a link of the command line sets a first password in the settings", async () => {
  const email = "linked@example.com";
  await dashboard.account(email, { operator: true });
  const { stdout } = await dashboard.workplace.run("accounts", "link", email);
  const visitor = await browser.visit(dashboard);
  const { page } = visitor;
  await page.goto(/http\S+/.exec(stdout)?.[0] ?? "");
  await isInside(visitor);
  await visitor.open("/settings");
  await page.getByText("You have no password yet and sign in by link.").waitFor();
  await page.getByRole("textbox", { name: "Password" }).fill(NEW_PASSWORD);
  await button(page, "Set the password").click();
  await button(page, "Change the password").waitFor();
  await signOut(page);
  await signInByPassword(page, email, NEW_PASSWORD);
  await isInside(visitor);
});

test("a session is listed where it was opened and can be ended from another", async () => {
  const email = "sessions@example.com";
  const here = await settingsOf(email);
  const there = await browser.visit({ ...dashboard, timezoneId: "Asia/Tokyo" });
  await there.open("/sign-in");
  await signInByPassword(there.page, email);
  await isInside(there);

  await here.page.reload();
  const sessions = here.page.getByRole("table", { name: "Your sessions" });
  await sessions.getByText("this one").waitFor();
  // What the other one's page shows it asks for again with each news, until it knows.
  there.allow(/status of 401/);
  await sessions.getByRole("button", { name: "End", exact: true }).click();
  await here.page.getByText("The session has ended").waitFor();
  await sessions.getByRole("button", { name: "End", exact: true }).waitFor({ state: "detached" });
  await there.open("/usage");
  await heading(there.page, "Sign in").waitFor();
});

test("a member who is invited by mail sees the account, and nothing of it once removed", async () => {
  const owner = await browser.visit(dashboard);
  await dashboard.signIn(owner, "owner@example.com");
  await owner.open("/members");
  await owner.page.getByLabel("E-mail").fill("member@example.com");
  await button(owner.page, "Add").click();
  await row(owner.page, "member@example.com").waitFor();

  const member = await browser.visit(dashboard);
  await member.page.goto(linkIn(await dashboard.mailbox.next("member@example.com")));
  await signUp(member.page, dashboard.mailbox, "member@example.com");
  await member.open("/keys");
  await member.page.getByText("owner@example.com").first().waitFor();
  await go(member.page, "Members");
  await member.page.getByText("Only the owner, owner@example.com").waitFor();

  await button(owner.page, "Remove member@example.com").click();
  await button(owner.page, "Remove the member").click();
  await row(owner.page, "member@example.com").waitFor({ state: "detached" });
  await member.open("/keys");
  await member.page.getByText("member@example.com").first().waitFor();
  expect(await member.page.getByText("owner@example.com").count()).toBe(0);
});

test("a token that the owner makes lets a program make keys, until it is revoked", async () => {
  const email = "programs@example.com";
  const account = await dashboard.account(email);
  const visitor = await browser.visit(dashboard);
  const { page, open } = visitor;
  await dashboard.signIn(visitor, email);
  await open("/tokens");
  await button(page, "Create an API token").click();
  await page.getByLabel("Name").fill("terraform");
  await button(page, "Create the token").click();
  await page.getByText("Choose at least one permission.").waitFor();
  await page.getByLabel("Create, change, rotate and revoke keys").check();
  await button(page, "Create the token").click();
  const shown = page.getByRole("figure", { name: "The token" }).locator("pre");
  const token = (await shown.textContent()) ?? "";
  recordKey(token);
  await button(page, "I have copied the token").click();

  const makeKey = async () => {
    const url = `${dashboard.origin}/api/accounts/${account.id}/keys`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ name: "made by a program" });
    return (await fetch(url, { method: "POST", headers, body })).status;
  };
  expect(await makeKey()).toBe(201);
  await go(page, "API keys");
  await row(page, "made by a program").waitFor();
  await go(page, "Audit log");
  await row(page, "Key created").getByText("By an API token").waitFor();

  await go(page, "API tokens");
  await button(page, "Revoke: terraform").click();
  await button(page, "Revoke the token").click();
  await page.getByText("No tokens yet").waitFor();
  expect(await makeKey()).toBe(401);
});

test("while the dashboard is started again its pages say so, and go on by themselves", async () => {
  const email = "restarts@example.com";
  const account = await dashboard.account(email);
  const key = await dashboard.key(account);
  const visitor = await browser.visit(dashboard);
  const { page, open } = visitor;
  await dashboard.signIn(visitor, email);
  await open("/usage");
  await page.getByText("Live", { exact: true }).waitFor();
  const served = /"pid":(\d+),"msg":"dashboard serves"/g;
  const pids = () => [...dashboard.gateway.process.output().matchAll(served)].map(([, pid]) => pid);
  const pid = pids().at(-1);
  process.kill(Number(pid), "SIGKILL");
  await page.getByText("The dashboard does not answer").waitFor();
  await page.getByText("The dashboard is back").waitFor();
  expect(await page.getByText("The dashboard does not answer").count()).toBe(0);
  expect(pids().at(-1)).not.toBe(pid);
  expect(await callBalance(dashboard.gateway.origin, key)).toMatchObject({ status: 200 });
  await button(page, "Only eth_getBalance").waitFor();
});

test("what could not be loaded while the dashboard was away is loaded once it is back", async () => {
  const email = "away@example.com";
  await dashboard.key(await dashboard.account(email));
  const visitor = await browser.visit(dashboard);
  const { page, context, open } = visitor;
  await dashboard.signIn(visitor, email);
  await open("/keys");
  await row(page, "backend").waitFor();
  await go(page, "Audit log");
  await context.setOffline(true);
  await go(page, "API keys");
  await page.getByText("This could not be loaded").first().waitFor();
  // Its program has not come yet, and the page that is open stays.
  await page.getByRole("link", { name: "Members" }).click();
  await page.getByText("It will load once the dashboard is back").waitFor();
  await context.setOffline(false);
  await heading(page, "Members").waitFor();
  await go(page, "API keys");
  await row(page, "backend").waitFor();
});

test("a mail tells the owner when three quarters of the day are used, once", async () => {
  const email = "alerts@example.com";
  const account = await dashboard.account(email, { plan: "small" });
  const key = await dashboard.key(account);
  const visitor = await browser.visit(dashboard);
  const { page, open } = visitor;
  await dashboard.signIn(visitor, email);
  await open("/alerts");
  await page.getByText("Alerts are off. These are suggestions").waitFor();
  await button(page, "Save").click();
  await page.getByText("Alerts saved").waitFor();

  const alerts = () =>
    dashboard.mailbox.mails.filter(({ to, subject }) => to === email && /credits/.test(subject));
  const { origin } = dashboard.gateway;
  for (let calls = 0; calls < 75; calls += 1) {
    expect(await callBalance(origin, key)).toMatchObject({ status: 200 });
  }
  // It is looked for every five seconds.
  await expect.poll(() => alerts()[0]?.subject, { timeout: 15_000 }).toMatch(/^75 % of today's/);
  // What the gateway has set aside counts too, up to a sixteenth of the rest.
  const [, used = ""] = /used (\S+) of today's 8,000/.exec(alerts()[0]?.text ?? "") ?? [];
  expect(Number(used.replace(",", ""))).toBeGreaterThanOrEqual(6000);
  await page.reload();
  const sent = page.getByRole("table", { name: "Sent alerts" });
  await sent.getByText("sent", { exact: true }).waitFor();
  expect(await sent.getByText(/^75 %/).count()).toBe(1);
  expect(alerts()).toHaveLength(1);
});
