import type { Page } from "playwright-core";
import { SOME_ADDRESS } from "./dashboard.ts";
import { OWNER } from "./demo-account.ts";
import { button, row } from "./steps.ts";

/** A page, or a dialog of it, as it is looked at. */
export type Shown = {
  readonly name: string;
  /** `OWNER` stands for the account's id. */
  readonly path: string;
  readonly heading: string;
  readonly who: "nobody" | "owner" | "newcomer";
  /** What is done, and waited for, before it is looked at. */
  readonly act?: Act;
  /** In a wider window it is the same. */
  readonly isForPhones?: boolean;
};
type Act = (page: Page) => Promise<unknown>;
type Rest = Partial<Pick<Shown, "act" | "who" | "isForPhones">>;

const guest = (path: string, heading: string, rest: Rest = {}): Shown => ({
  ...{ name: nameOf(path), path, heading, who: "nobody", ...rest },
});
const own = (path: string, heading: string, rest: Rest = {}): Shown => ({
  ...{ name: nameOf(path), path, heading, who: "owner", ...rest },
});
const named = (name: string, shown: Shown): Shown => ({ ...shown, name });
const nameOf = (path: string): string => /^\/([a-z-]+)/.exec(path)?.[1] ?? "home";

const text =
  (words: string): Act =>
  (page) =>
    page.getByText(words).first().waitFor();

const dialog =
  (opener: string): Act =>
  async (page) => {
    await button(page, opener).first().click();
    await page.getByRole("dialog").waitFor();
  };

async function openNewKey(page: Page): Promise<void> {
  await dialog("Create a key")(page);
  await page.getByText("Limits, expiry and restrictions").click();
}

async function fillExample(page: Page): Promise<void> {
  await button(page, "Fill in an example").click();
  await page.getByText("Copy as code").click();
}

async function send(page: Page): Promise<void> {
  await button(page, "Send").click();
  await page.getByText("charged").waitFor();
}

/** The gateway's counters have been looked at twice. */
const traffic: Act = (page) => row(page, "geth").getByRole("cell").nth(5).getByText(/\d/).waitFor();

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

const CALL = new URLSearchParams({
  ...{ network: "mainnet", method: "eth_getBalance" },
  params: JSON.stringify([SOME_ADDRESS, "latest"]),
});
const BY_KEY = "/usage?range=7d&by=key&measure=credits";
/** Yesterday, of one method. */
const SLOW = `/usage?measure=latency&method=eth_getLogs&range=custom&from=${ago(26)}&to=${ago(2)}`;
/** The table is there. */
const called: Act = (page) => button(page, "Only eth_getLogs").first().waitFor();
const showTable: Act = (page) => button(page, "Show as table").click();

export const SHOWN_PAGES: readonly Shown[] = [
  guest("/sign-in", "Sign in"),
  guest("/sign-up", "Sign up"),
  guest("/forgot", "Set a new password"),
  guest("/reset?token=some", "New password"),
  named("reset-bad", guest("/reset", "This link does not work", { isForPhones: true })),
  guest("/verify", "Your e-mail is confirmed"),
  named("verify-password", guest("/verify?confirm=token", "Confirm your e-mail")),
  named("verify-bad", guest("/verify?error=TOKEN_EXPIRED", "Confirm your e-mail")),
  named("usage-empty", own("/usage", "Usage", { who: "newcomer", act: text("No calls in") })),
  named(
    "keys-empty",
    own("/keys", "API keys", { who: "newcomer", act: text("Create your first") }),
  ),
  own("/usage?range=24h", "Usage", { act: called }),
  named("usage-latency", own(SLOW, "Usage", { act: text("p99") })),
  named("usage-table", own(BY_KEY, "Usage", { act: showTable, isForPhones: true })),
  own("/keys", "API keys", { act: text("indexer") }),
  named("keys-create", own("/keys", "API keys", { act: openNewKey })),
  named("keys-use", own("/keys", "API keys", { act: dialog("Use: indexer"), isForPhones: true })),
  named(
    "keys-revoke",
    own("/keys", "API keys", { act: dialog("Revoke: indexer"), isForPhones: true }),
  ),
  own(`/explorer?${CALL}`, "Explorer", { act: send }),
  named(
    "explorer-fields",
    own("/explorer?network=mainnet&method=eth_call", "Explorer", { act: fillExample }),
  ),
  named("explorer-block", own("/explorer?network=solana&method=getBlock", "Explorer")),
  own("/alerts", "Alerts", { act: text("Test") }),
  own("/members", "Members", { act: text("grace@example.com") }),
  own("/tokens", "API tokens", { act: text("billing") }),
  named("tokens-create", own("/tokens", "API tokens", { act: dialog("Create an API token") })),
  named("tokens-empty", own("/tokens", "API tokens", { who: "newcomer", act: text("No tokens") })),
  own("/audit", "Audit log", { act: text("Member added") }),
  own("/settings", "Settings", { act: text("this one") }),
  own("/networks", "Networks", { act: traffic }),
  named("node", own("/networks/mainnet/geth?range=24h", "geth", { act: text("p99") })),
  named(
    "networks-drain",
    own("/networks", "Networks", { act: dialog("Drain geth of mainnet"), isForPhones: true }),
  ),
  own("/accounts", "Accounts", { act: text("grace@example.com") }),
  named(
    "account-usage",
    own("/accounts/OWNER/usage?range=24h", "Usage", {
      act: text("You are viewing it as an operator"),
    }),
  ),
  named("account", own("/accounts/OWNER", OWNER, { act: text("Custom limits") })),
  own("/nowhere", "Page not found"),
];
