import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Part, Processes } from "./processes.ts";

const CLI = fileURLToPath(new URL("../src/cli.ts", import.meta.url));
const OWNER = "bench@example.com";
const START_MS = 15_000;

export type RunningTollgate = {
  readonly part: Part;
  readonly port: number;
  readonly adminPort: number;
  readonly key: string;
};

/**
 * Starts Tollgate as its user does: a configuration file, an account and a key made by the commands,
 * then `start`. Resolves when it answers. Throws an Error with what the program wrote where it does not.
 */
export async function startTollgate(
  processes: Processes,
  options: { readonly directory: string; readonly nodePorts: readonly number[] },
): Promise<RunningTollgate> {
  const file = join(options.directory, "tollgate.yaml");
  const [port, adminPort] = await freePorts();
  await writeFile(file, configuration({ port, adminPort, nodePorts: options.nodePorts }));
  await command(["accounts", "create", OWNER, "--plan", "bench", "--config", file]);
  const created = await command([
    "keys",
    "create",
    "--account",
    OWNER,
    "--name",
    "bench",
    "--json",
    "--config",
    file,
  ]);
  const { key } = JSON.parse(created) as { readonly key: string };
  const part = processes.startProgram("subject", [CLI, "start", "--config", file]);
  await answers(part, `http://127.0.0.1:${port}/bench/v3/${key}`);
  return { part, port, adminPort, key };
}

/** Everything on that a user has on; credits that no run can use up. */
function configuration(ports: {
  readonly port: number;
  readonly adminPort: number;
  readonly nodePorts: readonly number[];
}): string {
  const upstreams = ports.nodePorts.map(
    (port, at) =>
      `      - { name: stand-in-${at + 1}, url: "http://127.0.0.1:${port}", maxConnections: 64 }\n`,
  );
  return `server: { host: 127.0.0.1, port: ${ports.port} }
admin: { host: 127.0.0.1, port: ${ports.adminPort} }
storage: { url: "sqlite:./tollgate.db" }
log: { level: warn }
plans:
  bench: { dailyCredits: 1000000000000, creditsPerSecond: 1000000000, failover: false }
networks:
  - name: bench
    family: evm
    chainId: 1
    upstreams:
${upstreams.join("")}`;
}

async function command(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args]);
  return stdout;
}

async function answers(part: Part, url: string): Promise<void> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
  const headers = { "content-type": "application/json" };
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline && !part.ended()) {
    const response = await fetch(url, { method: "POST", headers, body }).catch(() => null);
    const text = await response?.text();
    if (text?.includes('"result"')) return;
    await sleep(50);
  }
  throw new Error(`Tollgate did not answer: ${part.stderr()}`);
}

/** Two ports that were free a moment ago: Tollgate's file has to name them before it starts. */
async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  const ports = await Promise.all(servers.map(listenOnFree));
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return [ports[0] ?? 0, ports[1] ?? 0];
}

async function listenOnFree(server: ReturnType<typeof createServer>): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}
