/**
 * `npm run keep-version`, when a version was released: keeps the program, without its dashboard, as the version before
 * the next one. test/upgrade goes from it to the sources while calls are served.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = "test/fixtures/previous";
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, stdio: "inherit" });

mkdirSync(new URL(`../${folder}`, import.meta.url), { recursive: true });
run("npm", "run", "build");
const leftOut = ["dist/console", "dist/THIRD-PARTY-NOTICES.txt"].map((path) => `--exclude=${path}`);
run("tar", ...leftOut, "-czf", `${folder}/tollgate.tgz`, "package.json", "dist");
