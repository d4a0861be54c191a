import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { CHAIN_ID, MANY_NETWORKS, manyName } from "./bodies.ts";
import { listen } from "./child.ts";
import { type Address, open } from "./connection.ts";
import { insertKeys } from "./many-keys.ts";
import type { Part, Processes } from "./processes.ts";

const OWNER = "bench@example.com";
const DATABASE = "tollgate.db";
/** Guards nothing: the bench's dashboard and its people are gone after the run. */
const SECRET = "bench-bench-bench-bench-bench-bench";
const START_MS = 15_000;
const ASK_EVERY_MS = 2;
const COMMANDS_AT_ONCE = 4;

export type RunningTollgate = PreparedTollgate & {
  readonly part: Part;
  /** From the start of the process to its first answer. */
  readonly readyMs: number;
};

/** A program, and its configuration. */
type Program = { readonly program: string; readonly file: string };

export type PreparedTollgate = Program & {
  readonly port: number;
  readonly adminPort: number;
  /** Of the dashboard, where it is configured. */
  readonly consolePort: number;
  readonly key: string;
};

export type TollgateOptions = {
  /** The file that Node runs. */
  readonly program: string;
  readonly directory: string;
  readonly nodePorts: readonly number[];
  /** Networks of the slot family: `slots` with these nodes, `ledger` with this folder. */
  readonly slots?: { readonly nodePorts: readonly number[]; readonly ledger?: string };
  /** A network `quiet` of other nodes. */
  readonly quietPorts?: readonly number[];
  /** A network `batched` of the same nodes, which are asked in batches. */
  readonly isBatched?: boolean;
  /** MANY_NETWORKS more of the same nodes, and so many keys of the bench's own. */
  readonly keys?: number;
  /** Of each node; 64 unless it is given. */
  readonly maxConnections?: number;
  readonly workers?: number;
  /** What clients may make it hold; the program's default unless it is given. */
  readonly memoryBytes?: number;
  /** What all answers that are kept may take; the program's default unless it is given. */
  readonly cacheBytes?: number;
  /** Calls are traced: the collector's address, and the share of calls. */
  readonly traces?: { readonly url: string; readonly ratio: number } | undefined;
  /** In place of a SQLite file. */
  readonly storageUrl?: string;
  /** With a dashboard that its people sign in to by links. */
  readonly hasConsole?: boolean;
  /** Nodes tell of blocks over WebSockets, and a key may subscribe as often as it likes. */
  readonly hasStreams?: boolean;
  readonly pinned?: Pinned;
};

/** When it is put on the subject's core: as it starts, so that the start is measured, when it answers, or never. */
type Pinned = "at the start" | "when ready" | "never" | undefined;

/**
 * Starts Tollgate as its user does: a configuration file, an account and a key made by the commands,
 * then `start`. Resolves when it answers. Throws an Error with what the program wrote where it does not.
 */
export async function startTollgate(
  processes: Processes,
  options: TollgateOptions,
): Promise<RunningTollgate> {
  return launchTollgate(processes, await prepareTollgate(options), { pinned: options.pinned });
}

/** All that has to be there before the first start. */
export async function prepareTollgate(options: TollgateOptions): Promise<PreparedTollgate> {
  const file = join(options.directory, "tollgate.yaml");
  const [port = 0, adminPort = 0, consolePort = 0] = await freePorts(3);
  const ports = { port, adminPort, consolePort };
  await writeFile(file, configuration({ ...options, ...ports }));
  const { program } = options;
  const key = await createAccount({ program, file }, { email: OWNER, isOperator: false });
  if (options.keys !== undefined) {
    insertKeys(join(options.directory, DATABASE), { owner: OWNER, keys: options.keys });
  }
  return { program, file, ...ports, key };
}

/** Another gateway on the storage of the first, which serves its key. */
export async function prepareBeside(first: PreparedTollgate): Promise<PreparedTollgate> {
  const [port = 0, adminPort = 0] = await freePorts(2);
  const file = first.file.replace(/\.yaml$/, `-${port}.yaml`);
  const text = (await readFile(first.file, "utf8"))
    .replace(`port: ${first.port},`, `port: ${port},`)
    .replace(`port: ${first.adminPort} }`, `port: ${adminPort} }`);
  await writeFile(file, text);
  return { ...first, port, adminPort, file };
}

/** An account with a key, which is what it resolves to. */
export async function createAccount(
  { program, file }: Program,
  {
    email,
    isOperator,
    plan = "bench",
  }: { readonly email: string; readonly isOperator: boolean; readonly plan?: string },
): Promise<string> {
  const flags = ["--plan", plan, ...(isOperator ? ["--operator"] : []), "--config", file];
  await command(program, ["accounts", "create", email, ...flags]);
  const mine = ["--account", email, "--name", "bench"];
  const created = await command(program, ["keys", "create", ...mine, "--json", "--config", file]);
  return (JSON.parse(created) as { readonly key: string }).key;
}

/** Several, as `createAccount` makes them: each command takes a processor for a while. */
export async function createAccounts(
  program: Program,
  emails: readonly string[],
  plan?: string,
): Promise<string[]> {
  const keys: string[] = [];
  while (keys.length < emails.length) {
    const lot = emails.slice(keys.length, keys.length + COMMANDS_AT_ONCE);
    const rest = { isOperator: false, ...(plan !== undefined && { plan }) };
    keys.push(
      ...(await Promise.all(lot.map((email) => createAccount(program, { email, ...rest })))),
    );
  }
  return keys;
}

/** A link that signs this person in to the dashboard, once. */
export async function signInLink({ program, file }: Program, email: string): Promise<string> {
  const made = await command(program, ["accounts", "link", email, "--json", "--config", file]);
  return (JSON.parse(made) as { readonly url: string }).url;
}

/** `flags` are those of Node. Pinned at the start unless it is said otherwise. */
export async function launchTollgate(
  processes: Processes,
  prepared: PreparedTollgate,
  { flags = [], pinned }: { readonly flags?: readonly string[]; readonly pinned?: Pinned } = {},
): Promise<RunningTollgate> {
  const { program, file, port, key } = prepared;
  const begun = performance.now();
  const isPinned = pinned === undefined || pinned === "at the start";
  const args = [...flags, program, "start", "--config", file];
  const part = processes.startProgram(isPinned ? "subject" : "anywhere", args);
  await answers(part, { port, path: `/bench/v3/${key}` });
  if (pinned === "when ready") processes.pinToSubject(part);
  return { ...prepared, part, readyMs: performance.now() - begun };
}

/** What `usage --json` tells of today. */
export async function usageOfToday({ program, file }: PreparedTollgate): Promise<{
  readonly used: number;
  readonly calls: readonly { readonly calls: number; readonly credits: number }[];
}> {
  return JSON.parse(
    await command(program, ["usage", "--account", OWNER, "--json", "--config", file]),
  );
}

/** Everything on that a user has on; credits that no run can use up. */
function configuration(
  options: TollgateOptions & Pick<PreparedTollgate, "port" | "adminPort" | "consolePort">,
): string {
  const { port, adminPort, nodePorts, slots, isBatched, keys, cacheBytes, traces } = options;
  const dashboard = `{ host: 127.0.0.1, port: ${options.consolePort}, signup: closed, secret: ${SECRET} }`;
  const memory = options.memoryBytes === undefined ? "" : `, memoryBytes: ${options.memoryBytes}`;
  const own = {
    ...{ members: "family: evm, chainId: 1", urls: nodePorts.map(nodeUrl) },
    ...{ maxConnections: options.maxConnections ?? 64, hasStreams: options.hasStreams === true },
  };
  const mostSubscriptions = options.hasStreams === true ? ", maxSubscriptions: 100000" : "";
  const many = Array.from({ length: keys === undefined ? 0 : MANY_NETWORKS }, (_, at) =>
    network(manyName(at), own),
  );
  const networks = [
    network("bench", own),
    ...(options.quietPorts === undefined
      ? []
      : [network("quiet", { ...own, urls: options.quietPorts.map(nodeUrl) })]),
    ...(isBatched ? [network("batched", { ...own, batch: 100 })] : []),
    ...many,
    ...(slots === undefined
      ? []
      : [network("slots", { members: "family: slot", urls: slots.nodePorts.map(nodeUrl) })]),
    ...(slots?.ledger === undefined
      ? []
      : [network("ledger", { members: "family: slot", urls: [`file:${slots.ledger}`] })]),
  ];
  return `server: { host: 127.0.0.1, port: ${port}, workers: ${options.workers ?? 1}${memory} }
admin: { host: 127.0.0.1, port: ${adminPort} }
${options.hasConsole ? `console: ${dashboard}\n` : ""}storage: { url: "${options.storageUrl ?? `sqlite:./${DATABASE}`}" }
${cacheBytes === undefined ? "" : `cache: { memoryBytes: ${cacheBytes} }\n`}log: { level: warn }
${traces === undefined ? "" : `traces: { url: "${traces.url}", ratio: ${traces.ratio} }\n`}plans:
  bench: { dailyCredits: 1000000000000, creditsPerSecond: 1000000000, failover: false${mostSubscriptions} }
networks:
${networks.join("")}`;
}

const nodeUrl = (port: number): string => `http://127.0.0.1:${port}`;

type NetworkOptions = {
  readonly members: string;
  readonly urls: readonly string[];
  readonly batch?: number;
  readonly maxConnections?: number;
  readonly hasStreams?: boolean;
};

function network(name: string, options: NetworkOptions): string {
  const { members, urls, batch = 0, maxConnections = 64, hasStreams = false } = options;
  const upstreams = urls.map((url, at) => {
    const ws = hasStreams ? `, ws: "${url.replace("http:", "ws:")}"` : "";
    return `{ name: stand-in-${at + 1}, url: "${url}"${ws}, maxConnections: ${maxConnections}, batch: ${batch} }`;
  });
  return `  - { name: ${name}, ${members}, upstreams: [${upstreams.join(", ")}] }\n`;
}

async function command(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args]);
  return stdout;
}

async function answers(part: Part, address: Address): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline && !part.ended()) {
    if (await isAnswered(address)) return;
    await sleep(ASK_EVERY_MS);
  }
  throw new Error(`Tollgate did not answer: ${part.stderr()}`);
}

async function isAnswered(address: Address): Promise<boolean> {
  const connection = await open("http", address).catch(() => null);
  if (connection === null) return false;
  const fault = await new Promise((resolve) => connection.send({ body: CHAIN_ID }, resolve));
  connection.close();
  return fault === null;
}

/** Ports that were free a moment ago: Tollgate's file has to name them before it starts. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(servers.map(listen));
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
