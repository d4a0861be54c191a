import type { Page } from "playwright-core";
import { linkIn, type Mailbox } from "../../console/support/mailbox.ts";
import { PASSWORD } from "../../console/support/test-console.ts";
import { recordKey } from "../../support/written.ts";
import { SOME_ADDRESS } from "./dashboard.ts";

export type Called = { readonly status: number; readonly left: string | null };

/** A call of 80 credits. `left`: of the day, as the answer's header says it. */
export async function callBalance(gateway: string, key: string): Promise<Called> {
  const params = [SOME_ADDRESS, "latest"];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBalance", params });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${gateway}/mainnet/v3/${key}`, { method: "POST", headers, body });
  await response.arrayBuffer();
  return { status: response.status, left: response.headers.get("x-credits-remaining") };
}

/** What people do on the pages, as they see them: by names of buttons, fields and headings. */

export const heading = (page: Page, name: string) =>
  page.getByRole("heading", { level: 1, name, exact: true });

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });

/** The row of a table whose head (or any cell) holds the text. */
export const row = (page: Page, text: string | RegExp) =>
  page.getByRole("row").filter({ hasText: text });

/** One of the numbers under a page's head, by its label. */
export const stat = (page: Page, label: string) =>
  page.locator(".stat").filter({ has: page.getByText(label, { exact: true }) });

/** On the page for it: fills in the form for a new account and follows the link of its mail. */
export async function signUp(page: Page, mailbox: Mailbox, email: string): Promise<void> {
  await heading(page, "Sign up").waitFor();
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await button(page, "Sign up").click();
  await heading(page, "Confirm your e-mail").waitFor();
  await page.goto(linkIn(await mailbox.next(email)));
  await heading(page, "Your e-mail is confirmed").waitFor();
}

export async function signInByPassword(
  page: Page,
  email: string,
  password = PASSWORD,
): Promise<void> {
  await heading(page, "Sign in").waitFor();
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await button(page, "Sign in").click();
}

export async function signOut(page: Page): Promise<void> {
  await button(page, "Sign out").click();
  await heading(page, "Sign in").waitFor();
}

/** The navigation's link. */
export async function go(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }).click();
  await heading(page, name).waitFor();
}

/** On the page of keys; returns the new key, whose dialog stays open. */
export async function createKey(page: Page, name: string, creditsPerDay?: number): Promise<string> {
  await button(page, "Create a key").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  if (creditsPerDay !== undefined) {
    await dialog.getByText("Limits, expiry and restrictions").click();
    await dialog.getByLabel("Credits per day").fill(String(creditsPerDay));
  }
  await button(page, "Create the key").click();
  return shownKey(page);
}

/** The key in the dialog that shows it once. */
export async function shownKey(page: Page): Promise<string> {
  const secret =
    (await page.getByRole("figure", { name: "The key" }).locator("pre").textContent()) ?? "";
  recordKey(secret);
  return secret;
}

export async function keepKey(page: Page): Promise<void> {
  await button(page, "I have copied the key").click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}
