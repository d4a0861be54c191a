import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { hashFiles } from "../../scripts/hash-files.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = "test-dist";
/** What it was built from last. */
const MARK = join(ROOT, FOLDER, "built-from");

/**
 * The program as the package has it, built from the sources before the first test: a start takes a third of the
 * processor's time that it takes from the sources.
 */
export const PROGRAM = join(ROOT, FOLDER, "cli.js");

/** The same as a checkout starts it. */
export const SOURCE = join(ROOT, "src/cli.ts");

/** Builds it, where the sources have changed since the last time. */
export function buildTestedProgram(): void {
  const sources = ["src/**/*.*", "scripts/{build,builtins,notices}.ts", "package-lock.json"];
  const hash = hashFiles(ROOT, sources, ["**/*.test.ts"]).digest("hex");
  if (existsSync(MARK) && readFileSync(MARK, "utf8") === hash) return;
  const { status } = spawnSync(process.execPath, ["scripts/build.ts", FOLDER], {
    cwd: ROOT,
    // Of vitest's own variables some would change what is built.
    env: {},
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("the program cannot be built");
  writeFileSync(MARK, hash);
}
