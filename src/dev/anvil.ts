import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { rpc } from "./rpc.ts";

export type AnvilOptions = {
  /** A folder that keeps the chain: continued where it holds one. Absent: in memory alone. */
  readonly stateDir?: string;
};

export type DevNode = {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** `ws://127.0.0.1:PORT` */
  readonly wsUrl: string;
  readonly pid: number;
  /** Resolves when the process has ended, asked to or not, with how it ended. */
  readonly ended: Promise<string>;
  /** Ends the process, after it has written the kept chain. Safe to call twice. */
  readonly stop: () => Promise<void>;
};

/** anvil's own default, which wallets know as a local network. */
export const DEV_CHAIN_ID = 31_337;

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;
const ERROR_TEXT_LENGTH = 2_000;

/**
 * anvil clones what it knows into every state that it keeps: unbounded, 3,000 blocks filled 690 MB
 * of the home folder; 64 states take some 40 MB an hour. Safe is head - 16 and finalized head - 32,
 * so that all tags stay within what is kept.
 */
const HISTORY = ["--prune-history", "64", "--slots-in-an-epoch", "16"];

/**
 * Starts anvil on a free port of 127.0.0.1 and waits until it answers. It mines on demand only.
 * @throws Error that says why where the binary is missing or does not start
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<DevNode> {
  const args = ["--host", "127.0.0.1", "--port", "0", "--no-cors", "--no-mining", ...HISTORY];
  // The first hardfork that has transactions of all five types.
  args.push("--hardfork", "prague", "--chain-id", String(DEV_CHAIN_ID));
  if (options.stateDir !== undefined) {
    await mkdir(options.stateDir, { recursive: true });
    args.push("--state", join(options.stateDir, "chain.json"), "--state-interval", "60");
  }
  const child = spawnAnvil(findAnvil(), args);
  const ended = endOf(child);
  const stop = stopper(child, ended);
  try {
    const port = await Promise.race([portOf(child), ended.then(failed), startTimeout()]);
    const address = `127.0.0.1:${port}`;
    const node = { url: `http://${address}`, wsUrl: `ws://${address}`, ended, stop };
    // Only now: `--quiet` would hide the port. Otherwise it writes a line for every call.
    await rpc(node.url, "anvil_setLoggingEnabled", [false]);
    return { ...node, pid: child.pid ?? 0 };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

/**
 * The path of anvil's binary in its npm package for this platform.
 * @throws Error that says what is missing
 */
export function findAnvil(): string {
  const found = lookForAnvil();
  if ("fault" in found) throw new Error(found.fault);
  return found.value;
}

/** The same, where it may be missing: it is an optional package. */
export function lookForAnvil(
  platform: string = process.platform,
  arch: string = process.arch,
): { readonly value: string } | { readonly fault: string } {
  const name = `@foundry-rs/anvil-${platform}-${arch === "x64" ? "amd64" : arch}`;
  const file = platform === "win32" ? "anvil.exe" : "anvil";
  const own = resolved(import.meta.url, "@foundry-rs/anvil/package.json");
  if (own !== undefined) {
    const value = resolved(own, `${name}/bin/${file}`);
    if (value !== undefined) return { value };
    // Where npm left the optional package out, anvil's install script has fetched it to here.
    const fetched = join(dirname(own), "dist", file);
    if (existsSync(fetched) && platform === process.platform) return { value: fetched };
  }
  const advice = "install without --omit=optional, on a platform that anvil is made for";
  return { fault: `the local chain needs the package ${name}: ${advice}` };
}

/** A file of a package, as the module `from` finds it. */
function resolved(from: string, file: string): string | undefined {
  try {
    return createRequire(from).resolve(file);
  } catch {
    return undefined;
  }
}

/**
 * In a process group of its own, so that Ctrl-C reaches the gateway alone, which then finishes its
 * calls first; and on Linux, by setpriv, told to end even where this process is killed outright.
 */
function spawnAnvil(binary: string, args: readonly string[]): ChildProcess {
  const tied = ["--pdeathsig", "TERM", binary];
  const probe = { stdio: "ignore", timeout: STOP_TIMEOUT_MS } as const;
  const ties =
    process.platform === "linux" &&
    spawnSync("setpriv", [...tied, "--version"], probe).status === 0;
  const [file, first] = ties ? ["setpriv", tied] : [binary, []];
  return spawn(file, [...first, ...args], {
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Resolves with how the process ended, its last words included; also where it never started. */
function endOf(child: ChildProcess): Promise<string> {
  let words = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    words = (words + chunk).slice(-ERROR_TEXT_LENGTH);
  });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => {
      resolve(words.trim() || (signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
  });
}

/** The port that it reports. Its output is read on, and dropped, so that it never blocks. */
function portOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      output = (output + chunk).slice(-ERROR_TEXT_LENGTH);
      const port = /Listening on [\d.]+:(\d+)/.exec(output)?.[1];
      if (port !== undefined) resolve(port);
    });
  });
}

function failed(words: string): never {
  throw new Error(`the local chain (anvil) did not start: ${words}`);
}

function startTimeout(): Promise<never> {
  return new Promise((_, reject) => {
    const error = new Error(`the local chain (anvil) did not start in ${START_TIMEOUT_MS} ms`);
    setTimeout(() => reject(error), START_TIMEOUT_MS).unref();
  });
}

/** SIGTERM, and SIGKILL where that takes too long. Also bound to the end of this process. */
function stopper(child: ChildProcess, ended: Promise<string>): () => Promise<void> {
  const terminate = () => {
    child.kill("SIGTERM");
  };
  process.once("exit", terminate);
  void ended.then(() => process.off("exit", terminate));
  return async () => {
    terminate();
    const killer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(killer);
  };
}
