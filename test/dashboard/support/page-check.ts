import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong, a line each; `rules`: only those. */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // By the debugger: the page's own policy runs no script that is not the dashboard's.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const only = rules === undefined ? {} : { runOnly: { type: "rule", values: rules } };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(only)})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = "" }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
}

/** How far the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
