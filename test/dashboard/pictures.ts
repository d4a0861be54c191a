/**
 * Copies the pictures of the documentation from where pages.test.ts has left them:
 * `node test/dashboard/pictures.ts`, after a look at them.
 */
import { copyFileSync, mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DOCUMENTED, DOCUMENTED_PICTURES } from "./support/pictures.ts";

const MOST_BYTES = 150_000;
const target = fileURLToPath(new URL("../../docs/pictures", import.meta.url));

mkdirSync(target, { recursive: true });
for (const name of DOCUMENTED) {
  const file = `${DOCUMENTED_PICTURES}/${name}.png`;
  const { size } = statSync(file);
  if (size > MOST_BYTES) throw new Error(`${file} has ${size} bytes: too many for a page`);
  copyFileSync(file, `${target}/${name}.png`);
}
