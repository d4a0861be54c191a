/**
 * Builds the documentation's site from docs, the repository's own pages and the definitions of the methods, to site/dist:
 * `npm run build:docs`. The dashboard serves it at /docs.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vitepress";
import { sitePages } from "../site/pages.ts";

const root = join(import.meta.dirname, "..");
const site = join(root, "site");
const pages = join(site, "pages");

rmSync(pages, { recursive: true, force: true });
for (const { path, text } of sitePages()) {
  const file = join(pages, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
cpSync(join(root, "docs/pictures"), join(pages, "pictures"), { recursive: true });
await build(site);
