import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { PAGES, requirePages } from "./support/built-pages.ts";

/** Of all pages together, as it comes over the wire. */
const MOST_BYTES = 150 * 1024;

beforeAll(requirePages);

test("the JavaScript of all pages together is less than 150 KB when compressed", () => {
  const files = readdirSync(PAGES, { recursive: true, encoding: "utf8" });
  const scripts = files.filter((file) => file.endsWith(".js"));
  const sizes = scripts.map((file) => gzipSync(readFileSync(join(PAGES, file))).length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  process.stdout.write(`${scripts.length} scripts: ${(bytes / 1024).toFixed(1)} KB compressed\n`);
  expect(scripts.length).toBeGreaterThan(10);
  expect(bytes).toBeLessThan(MOST_BYTES);
});
