import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** A command, to which arguments are added. */
export type Command = readonly [file: string, ...args: string[]];

/** What was installed stays for the next run. */
const CACHE = pathOf("node_modules/.cache/other-languages");
const WEB3_PY = "8.0.0";

const isThere = (program: string): Promise<boolean> =>
  run(program, [program === "go" ? "version" : "--version"]).then(
    () => true,
    () => false,
  );

/** Python with web3.py and this program of test/outside; undefined where there is no Python. */
export async function withWeb3Py(program: string): Promise<Command | undefined> {
  if (!(await isThere("python3"))) return undefined;
  const folder = `${CACHE}/web3py-${WEB3_PY}`;
  const python = `${folder}/bin/python`;
  if (!existsSync(python)) {
    await run("python3", ["-m", "venv", folder]);
    await run(python, ["-m", "pip", "install", "--quiet", `web3==${WEB3_PY}`]);
  }
  return [python, pathOf(`test/outside/${program}`)];
}

/** A Go program of test/outside; undefined where there is no Go. */
export async function goProgram(name: string): Promise<Command | undefined> {
  if (!(await isThere("go"))) return undefined;
  await mkdir(CACHE, { recursive: true });
  const file = `${CACHE}/${name}`;
  await run("go", ["build", "-o", file, "."], { cwd: pathOf(`test/outside/${name}`) });
  return [file];
}
