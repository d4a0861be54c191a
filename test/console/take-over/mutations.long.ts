import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MUTATIONS } from "./mutations.ts";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "../../..");
const MOST_ORDERS = 1000;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tollgate-take-over-"));
  const copied = ["src", "test/console", "test/simulation", "test/support", "package.json"];
  for (const name of [...copied, "web/dist"]) {
    await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  }
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function firstBroken(): Promise<string> {
  const program = path.join(folder, "test/console/take-over/first-broken.ts");
  const { stdout } = await run(process.execPath, [program, String(MOST_ORDERS)]);
  return stdout;
}

test("the orders find no fault in the code as it is", async () => {
  expect(await firstBroken()).toBe("");
});

test.each(MUTATIONS)(
  `within ${MOST_ORDERS} orders it is found that $name`,
  async ({ file, from, to }) => {
    const code = path.join(folder, file);
    const right = await readFile(code, "utf8");
    try {
      await writeFile(
        code,
        right.replace(from, () => to),
      );
      expect(await firstBroken()).toMatch(/^seed \d+: /);
    } finally {
      await writeFile(code, right);
    }
  },
);
