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

export type TollgateOptions = {
  readonly directory: string;
  readonly nodePorts: readonly number[];
  /** Networks of the slot family: `slots` with these nodes, `ledger` with this folder. */
  readonly slots?: { readonly nodePorts: readonly number[]; readonly ledger?: string };
};

/**
 * Starts Tollgate as its user does: a configuration file, an account and a key made by the commands,
 * then `start`. Resolves when it answers. Throws an Error with what the program wrote where it does not.
 */
export async function startTollgate(
  processes: Processes,
  options: TollgateOptions,
): Promise<RunningTollgate> {
  const file = join(options.directory, "tollgate.yaml");
  const [port, adminPort] = await freePorts();
  await writeFile(file, configuration({ ...options, port, adminPort }));
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
function configuration(
  options: TollgateOptions & { readonly port: number; readonly adminPort: number },
): string {
  const { port, adminPort, nodePorts, slots } = options;
  const networks = [
    network("bench", "family: evm, chainId: 1", nodePorts.map(nodeUrl)),
    ...(slots === undefined
      ? []
      : [network("slots", "family: slot", slots.nodePorts.map(nodeUrl))]),
    ...(slots?.ledger === undefined
      ? []
      : [network("ledger", "family: slot", [`file:${slots.ledger}`])]),
  ];
  return `server: { host: 127.0.0.1, port: ${port} }
admin: { host: 127.0.0.1, port: ${adminPort} }
storage: { url: "sqlite:./tollgate.db" }
log: { level: warn }
plans:
  bench: { dailyCredits: 1000000000000, creditsPerSecond: 1000000000, failover: false }
networks:
${networks.join("")}`;
}

const nodeUrl = (port: number): string => `http://127.0.0.1:${port}`;

function network(name: string, members: string, urls: readonly string[]): string {
  const upstreams = urls.map(
    (url, at) => `{ name: stand-in-${at + 1}, url: "${url}", maxConnections: 64 }`,
  );
  return `  - { name: ${name}, ${members}, upstreams: [${upstreams.join(", ")}] }\n`;
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
