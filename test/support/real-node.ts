import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { untilListening } from "./until-listening.ts";

/** A node in a process of its own on 127.0.0.1, that a test may hold, kill and start again. */
export type RealNode = {
  /** `http://127.0.0.1:PORT` and `ws://127.0.0.1:PORT`, the same after a restart. */
  readonly url: string;
  readonly wsUrl: string;
  /** All its ports, in the order of its kind. */
  readonly ports: readonly number[];
  readonly pid: () => number;
  /** SIGSTOP: the system still takes connections for it, and nobody answers. */
  readonly pause: () => Promise<void>;
  /** SIGCONT. */
  readonly resume: () => void;
  /** SIGKILL; resolves when the process is gone. Safe where it is gone already, or is held. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same ports, with nothing of what it knew. */
  readonly restart: () => Promise<void>;
};

/** How a kind of node is started: on these ports, or on free ones where there are none yet. */
export type NodeKind = {
  readonly name: string;
  readonly command: (ports: readonly number[]) => readonly [file: string, ...args: string[]];
  /** How many ports are found for it; absent where it finds one by itself and says which. */
  readonly needsPorts?: number;
  /** The ports, HTTP first and WebSocket second, once it says that it listens; `wanted` if any. */
  readonly portsIn: (output: string, wanted: readonly number[]) => readonly number[] | undefined;
  /** Once all its ports take connections, also after a restart: before it is used. */
  readonly prepare?: (url: string) => Promise<void>;
  /** In addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
};

const START_MS = 30_000;
const SAID_LENGTH = 4_000;

/** On Linux also told to end where this process is killed outright. */
const TIED =
  process.platform === "linux" &&
  spawnSync("setpriv", ["--pdeathsig", "KILL", "true"], { stdio: "ignore" }).status === 0;

/** @throws with its output where it does not start within 30 s */
export async function startRealNode(kind: NodeKind): Promise<RealNode> {
  let { child, ports } = await launch(kind, await freePorts(kind.needsPorts ?? 0));
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  process.once("exit", () => child.kill("SIGKILL"));
  const [port, wsPort = port] = ports;
  const node: RealNode = {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${wsPort}`,
    ports,
    pid: () => child.pid ?? 0,
    pause: async () => {
      child.kill("SIGSTOP");
      while (child.pid !== undefined && !isHeld(child.pid)) await setTimeout(1);
    },
    resume: () => {
      child.kill("SIGCONT");
    },
    kill,
    restart: async () => {
      await kill();
      ({ child, ports } = await launch(kind, ports));
      await kind.prepare?.(node.url);
    },
  };
  try {
    await kind.prepare?.(node.url);
    return node;
  } catch (cause) {
    await kill();
    throw cause;
  }
}

/** Of 127.0.0.1, different from each other: anybody may take one before it is used. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = servers.map(async (server) => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  });
  const found = await Promise.all(ports);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return found;
}

/** Its threads stop one after the other; elsewhere than on Linux nobody can tell when. */
function isHeld(pid: number): boolean {
  if (process.platform !== "linux") return true;
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.every((thread) =>
    /\) [TtZX] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")),
  );
}

type Launched = { child: ChildProcess; ports: readonly number[] };

async function launch(kind: NodeKind, wanted: readonly number[]): Promise<Launched> {
  const [file, ...args] = kind.command(wanted);
  const [command, first] = TIED ? ["setpriv", ["--pdeathsig", "KILL", file]] : [file, []];
  const child = spawn(command, [...first, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    // biome-ignore lint/style/noProcessEnv: a process inherits it.
    env: { ...process.env, ...kind.environment },
  });
  let said = "";
  const found = new Promise<readonly number[]>((resolve) => {
    const read = (piece: string) => {
      said = (said + piece).slice(-SAID_LENGTH);
      const ports = kind.portsIn(said, wanted);
      if (ports !== undefined) resolve(ports);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
  });
  const timeout = setTimeout(START_MS, undefined, { ref: false });
  const ports = await Promise.race([found, once(child, "exit").then(() => undefined), timeout]);
  if (ports === undefined) {
    child.kill("SIGKILL");
    throw new Error(`${kind.name} did not start: ${said}`);
  }
  await Promise.all(ports.map(untilListening));
  return { child, ports };
}
