/**
 * Builds the documentation's site from docs, the repository's own pages and the definitions of the methods, to site/dist:
 * `npm run build:docs`. The dashboard serves it at /docs. Where nothing has changed since the last time it does nothing:
 * npm builds before it packs, and once more while it does.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vitepress";
import { sitePages } from "../site/pages.ts";
import { hashFiles } from "./hash-files.ts";

const root = join(import.meta.dirname, "..");
const site = join(root, "site");
const pages = join(site, "pages");
/** What the site was built from last. */
const mark = join(site, ".vitepress/cache/built-from");

const built = sitePages();
const sources = hashOfSources();
const isBuilt = existsSync(join(site, "dist/index.html")) && existsSync(mark);
if (!isBuilt || readFileSync(mark, "utf8") !== sources) {
  rmSync(pages, { recursive: true, force: true });
  for (const { path, text } of built) {
    const file = join(pages, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  cpSync(join(root, "docs/pictures"), join(pages, "pictures"), { recursive: true });
  await build(site);
  mkdirSync(dirname(mark), { recursive: true });
  writeFileSync(mark, sources);
}

function hashOfSources(): string {
  const hash = hashFiles(root, [
    "docs/pictures/*",
    "site/.vitepress/{config.ts,theme/*}",
    "package-lock.json",
  ]);
  for (const { path, text } of built) hash.update(path).update(text);
  return hash.digest("hex");
}
