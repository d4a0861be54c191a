import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { FAMILIES } from "../../src/methods/families.ts";
import { type ClockedDashboard, startClockedDashboard } from "./support/clocked-dashboard.ts";
import { axeViolations, overflow } from "./support/page-check.ts";
import { openBrowser, type TestBrowser } from "./support/test-browser.ts";

const PHONE = { width: 390, height: 844 } as const;
const DESKTOP = { width: 1280, height: 800 } as const;

let dashboard: ClockedDashboard;
let browser: TestBrowser;
beforeAll(async () => {
  [dashboard, browser] = await Promise.all([startClockedDashboard(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await dashboard?.stop();
});
afterEach(async () => {
  // Scripts and styles that the policy forbids, and whatever would have been loaded from elsewhere, are faults.
  expect(await browser.leave()).toEqual([]);
});

test("anybody finds a method by the search, and reads its page, without leaving the machine", async () => {
  const { page, open } = await browser.visit({ ...dashboard, ...DESKTOP });
  await open("/docs");
  expect(new URL(page.url()).pathname).toBe("/docs/");
  await page.getByRole("heading", { level: 1, name: "Tollgate" }).waitFor();
  await page
    .getByRole("button", { name: /Search/ })
    .first()
    .click();
  await page
    .getByRole("searchbox")
    .or(page.locator("#localsearch-input"))
    .first()
    .fill("eth_feeHistory");
  await page.locator("#localsearch-list a[href*='/docs/methods/eth_feeHistory']").first().click();
  await page.getByRole("heading", { level: 1, name: "eth_feeHistory" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/docs/methods/eth_feeHistory");
  await open("/docs/methods/eth_getBalance");
  const [, block] = FAMILIES.evm.lookUp("eth_getBalance")?.params ?? [];
  await page.getByText(block?.want ?? "nothing", { exact: true }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Params" }).waitFor();
});

test.each(["/docs/", "/docs/methods/eth_call", "/docs/methods/", "/docs/dashboard"])(
  "%s has no fault that axe, the browser or a narrow window finds",
  async (path) => {
    const { page, open } = await browser.visit({ ...dashboard, ...PHONE });
    await open(path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize(DESKTOP);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await axeViolations(page, ["color-contrast"])).toEqual([]);
  },
);

test("what is no page is answered by one that says so, and no path leads out of the folder", async () => {
  const get = (path: string) => fetch(`${dashboard.origin}${path}`);
  expect((await get("/docs/nowhere")).status).toBe(404);
  for (const path of ["/docs/..%2f..%2fpackage.json", "/docs/%2e%2e/%2e%2e/package.json"]) {
    expect(await (await get(path)).text(), path).not.toContain("devDependencies");
  }
  const page = await get("/docs/errors");
  expect(page.headers.get("content-security-policy")).not.toContain(
    "script-src 'self' 'unsafe-inline'",
  );
  expect(page.headers.get("cache-control")).toBe("no-cache");
});
