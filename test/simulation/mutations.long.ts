import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MUTATIONS } from "./mutations.ts";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "../..");
const MOST_SCHEDULES = 1500;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tollgate-mutations-"));
  for (const name of ["src", "test/simulation", "package.json"]) {
    await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  }
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function firstViolation(): Promise<number> {
  const program = path.join(folder, "test/simulation/first-violation.ts");
  const { stdout } = await run(process.execPath, [program, String(MOST_SCHEDULES)]);
  return stdout === "" ? Number.POSITIVE_INFINITY : Number(stdout);
}

test("the schedules find no fault in the code as it is", async () => {
  expect(await firstViolation()).toBe(Number.POSITIVE_INFINITY);
});

test.each(MUTATIONS)(
  `within ${MOST_SCHEDULES} schedules it is found that $name`,
  async ({ file, from, to }) => {
    const code = path.join(folder, file);
    const right = await readFile(code, "utf8");
    try {
      await writeFile(code, right.replace(from, to));
      expect(await firstViolation()).toBeLessThanOrEqual(MOST_SCHEDULES);
    } finally {
      await writeFile(code, right);
    }
  },
);
