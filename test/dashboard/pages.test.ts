import { mkdirSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { recordKey } from "../support/written.ts";
import { type Dashboard, startDashboard } from "./support/dashboard.ts";
import { type DemoAccount, makeDemoAccount, OWNER } from "./support/demo-account.ts";
import { axeViolations, overflow } from "./support/page-check.ts";
import { DOCUMENTED, DOCUMENTED_PICTURES, PICTURES } from "./support/pictures.ts";
import { SHOWN_PAGES, type Shown } from "./support/shown-pages.ts";
import { button, callBalance, heading, shownKey } from "./support/steps.ts";
import { openBrowser, type TestBrowser, type Visitor } from "./support/test-browser.ts";

const SIZES = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
} as const;
const TRAFFIC_MS = 100;
/** Each picture takes as long as a test. */
const { env }: { readonly env?: Readonly<Record<string, string>> } = import.meta as object;
const TAKES_ALL = env?.["PICTURES"] !== undefined;

let dashboard: Dashboard;
let browser: TestBrowser;
let demo: DemoAccount;
let traffic: NodeJS.Timeout;
beforeAll(async () => {
  mkdirSync(DOCUMENTED_PICTURES, { recursive: true });
  [dashboard, browser] = await Promise.all([startDashboard({ head: 24_091_177 }), openBrowser()]);
  demo = await makeDemoAccount(dashboard);
  const visitor = await browser.visit(dashboard);
  await dashboard.signIn(visitor, OWNER);
  await visitor.open("/members");
  await visitor.page.getByLabel("E-mail").fill("grace@example.com");
  await button(visitor.page, "Add").click();
  await visitor.page.getByText("an invitation is on its way").waitFor();
  const call = () => callBalance(dashboard.gateway.origin, demo.key).catch(() => undefined);
  traffic = setInterval(() => void call(), TRAFFIC_MS);
});
afterAll(async () => {
  clearInterval(traffic);
  await browser?.close();
  await dashboard?.stop();
});
afterEach(async () => {
  expect(await browser.leave()).toEqual([]);
});

async function visit(shown: Shown, size: keyof typeof SIZES): Promise<Visitor> {
  const visitor = await browser.visit({ ...dashboard, ...SIZES[size] });
  if (shown.who === "owner") await dashboard.signIn(visitor, OWNER);
  if (shown.who === "newcomer") await dashboard.signIn(visitor, "new@example.com");
  await visitor.open(shown.path.replace("OWNER", demo.account.id));
  await heading(visitor.page, shown.heading).waitFor();
  await shown.act?.(visitor.page);
  await isStill(visitor.page);
  return visitor;
}

/** Nothing is on its way any more but the live numbers. */
async function isStill(page: Page): Promise<void> {
  await expect.poll(() => page.locator("[aria-busy=true]").count()).toBe(0);
}

test.each(SHOWN_PAGES.map((shown) => [shown.name, shown] as const))(
  "%s has no fault that axe, the browser or a narrow window finds, on a phone and a desktop, light and dark",
  async (_, shown) => {
    const { page } = await visit(shown, "phone");
    const sizes = shown.isForPhones === true ? ["phone" as const] : (["phone", "desktop"] as const);
    for (const size of sizes) {
      await page.setViewportSize(SIZES[size]);
      await page.emulateMedia({ colorScheme: "light" });
      await isStill(page);
      expect(await axeViolations(page), size).toEqual([]);
      expect(await overflow(page), size).toBe(0);
      await takePicture(page, `${shown.name}-${size}-light`);
      await page.emulateMedia({ colorScheme: "dark" });
      // All else that axe looks at does not hang on colours, and colours hardly on sizes.
      if (size === sizes.at(-1) || TAKES_ALL) {
        expect(await axeViolations(page, ["color-contrast"]), size).toEqual([]);
      }
      await takePicture(page, `${shown.name}-${size}-dark`);
    }
  },
);

/** Those of the documentation, and all of each page where PICTURES is set. */
async function takePicture(page: Page, name: string): Promise<void> {
  const isDocumented = DOCUMENTED.has(name);
  if (!isDocumented && !TAKES_ALL) return;
  // What stays in place while one scrolls would stand in the middle of the picture.
  await page.evaluate("scrollTo(0, 0)");
  if (isDocumented) await page.screenshot({ path: `${DOCUMENTED_PICTURES}/${name}.png` });
  if (TAKES_ALL) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
}

test("a key can be made, copied and found again without a mouse", async () => {
  const { page } = await visit(
    { name: "keys", path: "/keys", heading: "API keys", who: "newcomer" },
    "desktop",
  );
  const { keyboard } = page;
  await keyboard.press("Tab");
  await expectFocus(page.getByRole("link", { name: "Skip to content" }));
  await keyboard.press("Enter");
  await tabTo(page, button(page, "Create a key"));
  await keyboard.press("Enter");
  await tabTo(page, page.getByLabel("Name"));
  await keyboard.type("by keyboard");
  await keyboard.press("Enter");
  await tabTo(page, button(page, "Copy: The key"));
  await keyboard.press("Enter");
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  recordKey(copied);
  expect(copied).toBe(await shownKey(page));
  // What is shown once is not lost by a slip.
  await keyboard.press("Escape");
  await tabTo(page, button(page, "I have copied the key"));
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await page.evaluate("document.activeElement.tagName")).not.toBe("BODY");
  await tabTo(page, button(page, "Revoke: by keyboard"));
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await keyboard.press("Escape");
  await expectFocus(button(page, "Revoke: by keyboard"));
});

const isFocused = (wanted: Locator): Promise<boolean> =>
  wanted.evaluate((element) => element === element.ownerDocument.activeElement);

async function expectFocus(wanted: Locator): Promise<void> {
  await expect.poll(() => isFocused(wanted)).toBe(true);
}

/** Goes on with Tab until it is there, and sees that the eye can tell. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  for (let steps = 0; steps < 60 && !(await isFocused(wanted)); steps += 1) {
    await page.keyboard.press("Tab");
  }
  await expectFocus(wanted);
  const outline = await wanted.evaluate((element) => {
    const view = element.ownerDocument.defaultView;
    return view?.getComputedStyle(element).outlineStyle;
  });
  expect(outline).not.toBe("none");
}
