/**
 * `npm run check`: what a change touches, within half a minute: Biome on its files, the types of
 * everything, and those tests beside the code that import a file of it. The change is what differs
 * from the last commit, or that commit itself where nothing does. `npm run verify` looks at all.
 * Exit code 1 where something is wrong.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";

const git = (...args: string[]): string[] =>
  execFileSync("git", args, { encoding: "utf8" }).split("\n").filter(Boolean);

const changed = [
  ...git("diff", "--name-only", "HEAD"),
  ...git("ls-files", "--others", "--exclude-standard"),
];
const touched = changed.length > 0 ? changed : git("diff", "--name-only", "HEAD~1", "HEAD");
const files = touched.filter((file) => existsSync(file));
const code = files.filter((file) => /^(?:src|web|test|bench)\/.*\.tsx?$/.test(file));

const biome = ["biome", "check", "--no-errors-on-unmatched", "--files-ignore-unknown=true"];
const related = ["vitest", "related", "--run", "--project", "unit (parts)", "--passWithNoTests"];
// One after the other: each uses all cores.
const isGood = [
  files.length === 0 || (await passes(...biome, ...files)),
  await passes("tsc", "--noEmit"),
  code.length === 0 || (await passes(...related, ...code)),
].every(Boolean);
process.exitCode = isGood ? 0 : 1;

function passes(...command: string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn("npx", ["--no", ...command], { stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (code) => resolve(code === 0));
  });
}
