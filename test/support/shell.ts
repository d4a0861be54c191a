import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { recordOutput } from "./written.ts";

/** Variables that `npm test` sets for its own script, and that would mislead an npm below it. */
const OF_NPM = /^(npm_package_|npm_lifecycle_|npm_command$|npm_config_local_prefix$|INIT_CWD$)/;

/** The environment of a user's terminal in which the pinned Node comes first, after `folders`. */
export function userEnvironment(...folders: string[]): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: a terminal's environment is what is tried.
  const own = Object.entries(process.env).filter(([name]) => !OF_NPM.test(name));
  const environment: NodeJS.ProcessEnv = Object.fromEntries(own);
  const path = [...folders, dirname(process.execPath), environment["PATH"] ?? ""];
  return { ...environment, PATH: path.join(delimiter), NO_COLOR: "1" };
}

const END_MS = 15_000;

export type Ran = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** Both streams, as a terminal shows them. */
  readonly output: string;
};

const COMMAND =
  /(?:\btollgate(?!\/)|\bsrc\/cli\.ts|\bdist\/cli\.js)((?: [a-z]+(?:-[a-z]+)*(?=\s|$))*)|\bnpm start\b/g;
/** The commands of the program in a line or script, `tollgate keys create, npm start`. */
function commandsOf(line: string): string {
  const found = [...line.matchAll(COMMAND)].map(([whole, words]) =>
    words === undefined ? whole : `tollgate${words}`,
  );
  return found.length === 0 ? (line.split(/\s/)[0] ?? "") : [...new Set(found)].join(", ");
}

/** A process (group) in the background, as in a terminal of its own. */
export class Running {
  readonly ended: Promise<Ran>;
  readonly #child: ChildProcess;
  #stdout = "";
  #output = "";
  #changed: () => void = () => undefined;

  constructor(command: string, args: readonly string[], options: SpawnOptions) {
    this.#child = spawn(command, args, {
      ...options,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const name = commandsOf([command, ...args].join(" "));
    if (this.#child.stdout !== null) recordOutput(this.#child.stdout, `${name}: stdout`);
    if (this.#child.stderr !== null) recordOutput(this.#child.stderr, `${name}: stderr`);
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
      this.#add(text);
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#add(text));
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => {
        resolve({ code, signal, stdout: this.#stdout, output: this.#output });
        this.#changed();
      });
    });
  }

  get output(): string {
    return this.#output;
  }

  /** Resolves with the output once it matches. @throws where the process ends before */
  async printed(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.#output)) {
      const end = await Promise.race([this.ended, this.#nextChange()]);
      if (end && !pattern.test(this.#output)) {
        throw new Error(`ended with ${end.code ?? end.signal}: ${end.output}`);
      }
    }
    return this.#output;
  }

  /** A signal to the whole group: SIGINT is what Ctrl-C sends. */
  signal(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
  }

  /** Ends the group, and waits until all that it started has ended. */
  async end(signal: NodeJS.Signals): Promise<Ran> {
    const family = this.family();
    this.signal(signal);
    const ran = await this.ended;
    const deadline = Date.now() + END_MS;
    while (family.some(isAlive)) {
      if (Date.now() > deadline) throw new Error(`did not end on ${signal}: ${ran.output}`);
      await setTimeout(20);
    }
    return ran;
  }

  /** This process and all that it started, on Linux; elsewhere this process alone. */
  family(): number[] {
    const { pid } = this.#child;
    return pid === undefined ? [] : [pid, ...descendants(pid)];
  }

  #add(text: string): void {
    this.#output += text;
    this.#changed();
  }

  #nextChange(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#changed = () => resolve(undefined);
    });
  }
}

function descendants(ancestor: number): number[] {
  if (process.platform !== "linux") return [];
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // `pid (name) state ppid …`; the name may hold spaces and brackets.
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  const found = [ancestor];
  for (const each of found) {
    for (const [pid, parent] of parents) if (parent === each) found.push(pid);
  }
  return found.slice(1);
}

/** Whether a process of this id lives; one that has ended and was not waited for does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== "linux") return true;
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Runs a command to its end. */
export function run(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<Ran> {
  return new Running(command, args, options).ended;
}

/** A script for `sh`, as a user would paste it. */
export function runShell(script: string, options: SpawnOptions = {}): Promise<Ran> {
  return run("sh", ["-e", "-c", script], options);
}

/** Understands what the printed lines use: a URL, -s, -i, -H and -d. */
const CURL = `#!/usr/bin/env node
const { argv } = process;
const headers = {};
let url, body, head = false;
for (let at = 2; at < argv.length; at += 1) {
  if (argv[at] === "-H") {
    const [, name, value] = /^([^:]+): *(.*)$/.exec(argv[at += 1]);
    headers[name] = value;
  } else if (argv[at] === "-d") body = argv[at += 1];
  else if (argv[at] === "-i") head = true;
  else if (argv[at] !== "-s") url = argv[at];
}
const answer = await fetch(url, body === undefined ? { headers } : { method: "POST", headers, body });
if (head) {
  const fields = [...answer.headers].map((field) => field.join(": ") + "\\r\\n").join("");
  process.stdout.write("HTTP/1.1 " + answer.status + " " + answer.statusText + "\\r\\n" + fields + "\\r\\n");
}
process.stdout.write(await answer.text());
`;

/** Where the machine has no curl, puts one into `folder` that does as much as the lines need. */
export async function provideCurl(folder: string): Promise<void> {
  const { code } = await runShell("command -v curl", { env: userEnvironment() });
  if (code === 0) return;
  const file = join(folder, "curl");
  // Without an extension Node asks a package.json what it is.
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(file, CURL);
  chmodSync(file, 0o755);
}
