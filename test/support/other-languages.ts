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

const isThere = (program: string): Promise<boolean> =>
  run(program, [program === "go" ? "version" : "--version"]).then(
    () => true,
    () => false,
  );

/** A Python with this package of PyPI, written as `name==version`; undefined where there is no Python. */
async function pythonWith(requirement: string): Promise<string | undefined> {
  if (!(await isThere("python3"))) return undefined;
  const folder = `${CACHE}/${requirement.replace("==", "-")}`;
  if (!existsSync(folder)) {
    await run("python3", ["-m", "venv", folder]);
    await run(`${folder}/bin/python`, ["-m", "pip", "install", "--quiet", requirement]);
  }
  return `${folder}/bin`;
}

/** Python with web3.py and this program of test/outside; undefined where there is no Python. */
export async function withWeb3Py(program: string): Promise<Command | undefined> {
  const folder = await pythonWith("web3==8.0.0");
  return folder === undefined ? undefined : [`${folder}/python`, pathOf(`test/outside/${program}`)];
}

/** Checks manifests against the schemas of Kubernetes, of `version`; undefined where there is no Python. */
export async function kubernetesValidate(version: string): Promise<Command | undefined> {
  const folder = await pythonWith("kubernetes-validate==1.37.0");
  if (folder === undefined) return undefined;
  return [`${folder}/kubernetes-validate`, "--strict", "--kubernetes-version", version];
}

/** A Go program of test/outside; undefined where there is no Go. */
export async function goProgram(name: string): Promise<Command | undefined> {
  if (!(await isThere("go"))) return undefined;
  await mkdir(CACHE, { recursive: true });
  const file = `${CACHE}/${name}`;
  await run("go", ["build", "-o", file, "."], { cwd: pathOf(`test/outside/${name}`) });
  return [file];
}

/** Helm, built from its Go module, which takes minutes; undefined where there is no Go. */
export async function helm(): Promise<Command | undefined> {
  if (!(await isThere("go"))) return undefined;
  if (!existsSync(`${CACHE}/helm`)) {
    await run("env", [`GOBIN=${CACHE}`, "go", "install", "helm.sh/helm/v3/cmd/helm@v3.19.0"]);
  }
  return [`${CACHE}/helm`];
}

/** The folder of a Go module's source, written as `path@version`; undefined where there is no Go. */
export async function goModule(module: string): Promise<string | undefined> {
  if (!(await isThere("go"))) return undefined;
  const { stdout } = await run("go", ["mod", "download", "-json", module]);
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}
