import { access, writeFile } from "node:fs/promises";
import { networkName as nameForm } from "../../config/leaves.ts";
import type { Random } from "../../lib/random.ts";
import { runCheck } from "../check/check.ts";
import { FILE_HERE } from "../config-option.ts";
import { CommandError } from "../output.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import { type FoundNode, findNode } from "./find-node.ts";
import { initFile, type NewNetwork } from "./init-file.ts";
import { networkName } from "./network-names.ts";

export type InitOptions = { readonly node?: readonly string[]; readonly yes?: boolean };

export type InitParts = {
  readonly print: (text: string) => void;
  readonly random: Random;
};

const SECRET_BYTES = 32;
const NO_ANSWER = "it was not answered; nothing was written";

/**
 * `init [--node URL]… [--yes]`: writes `./tollgate.yaml` for these nodes, and checks it. On a terminal it asks for what
 * is not given, but for `--yes`. Returns the exit code of the check.
 * @throws CommandError where there is a file already, where no node is named, or one does not answer
 */
export async function runInit(options: InitOptions, { print, random }: InitParts): Promise<number> {
  await refuseExisting();
  const terminal = options.yes === true ? undefined : openTerminal();
  try {
    const nodes = await nodesOf(options.node ?? [], terminal);
    const networks = await named(groupedByChain(nodes), terminal);
    const secret = Buffer.from(random(SECRET_BYTES)).toString("base64url");
    const dashboardSecret = (await wantsDashboard(terminal)) ? secret : undefined;
    const text = initFile({ networks, dashboardSecret });
    // It holds a secret, and addresses of nodes may hold others.
    await writeFile(FILE_HERE, text, { flag: "wx", mode: 0o600 });
  } finally {
    terminal?.close();
  }
  const code = await runCheck({ config: FILE_HERE }, print);
  print(NEXT_STEPS);
  return code;
}

const NEXT_STEPS = `
${FILE_HERE} is written. Next:
  tollgate accounts create YOUR_EMAIL --plan growth --operator
  tollgate keys create --account YOUR_EMAIL --name first
  tollgate start`;

async function refuseExisting(): Promise<void> {
  const isThere = await access(FILE_HERE).then(
    () => true,
    () => false,
  );
  if (!isThere) return;
  const advice = "move it away to begin anew, or see what it says: tollgate check";
  throw new CommandError(`there is a ${FILE_HERE} already; ${advice}`);
}

async function nodesOf(
  addresses: readonly string[],
  terminal: Terminal | undefined,
): Promise<readonly FoundNode[]> {
  const asked = addresses.length === 0 ? terminal : undefined;
  const nodes = asked === undefined ? await allAt(addresses) : await askForNodes(asked);
  if (nodes.length > 0) return nodes;
  throw new CommandError(
    "no node is named; name each by its address, such as: tollgate init --node http://127.0.0.1:8546",
  );
}

/** @throws CommandError for the first that does not answer */
async function allAt(addresses: readonly string[]): Promise<readonly FoundNode[]> {
  const found = await Promise.all([...new Set(addresses)].map(findNode));
  return found.map((one, index) => {
    if (!("fault" in one)) return one;
    throw new CommandError(`node ${index + 1} ${one.fault}; nothing was written`);
  });
}

async function askForNodes(terminal: Terminal): Promise<readonly FoundNode[]> {
  const nodes: FoundNode[] = [];
  for (;;) {
    const which = nodes.length === 0 ? "a node, such as http://127.0.0.1:8546" : "the next node";
    const end = nodes.length === 0 ? "" : " (press Enter to continue)";
    const address = await terminal.ask(`Address of ${which}${end}:`);
    if (address === undefined) throw new CommandError(NO_ANSWER);
    if (address === "" && nodes.length > 0) return nodes;
    if (address === "" || nodes.some((one) => one.address === address)) continue;
    const found = await findNode(address);
    if ("fault" in found) terminal.say(`This node ${found.fault}.`);
    else {
      const { client = "a node", chain } = found;
      terminal.say(`${client}, chain ${chain}`);
      nodes.push(found);
    }
  }
}

/** In the order of the first node of each. */
function groupedByChain(nodes: readonly FoundNode[]): readonly NewNetwork[] {
  const groups = Map.groupBy(nodes, ({ chain }) => chain);
  return [...groups.values()].map((group) => ({
    name: networkName(group[0] as FoundNode),
    nodes: group,
  }));
}

async function named(
  networks: readonly NewNetwork[],
  terminal: Terminal | undefined,
): Promise<readonly NewNetwork[]> {
  if (terminal === undefined) return networks;
  const all: NewNetwork[] = [];
  for (const network of networks) {
    const { chain } = network.nodes[0] as FoundNode;
    const question = `Name of the network of chain ${chain}, part of its address`;
    all.push({ ...network, name: await askForName(terminal, question, network.name) });
  }
  return all;
}

async function askForName(terminal: Terminal, question: string, proposed: string): Promise<string> {
  for (;;) {
    const answer = await terminal.ask(`${question} [${proposed}]:`);
    if (answer === undefined) throw new CommandError(NO_ANSWER);
    const name = nameForm.safeParse(answer === "" ? proposed : answer);
    if (name.success) return name.data;
    terminal.say(`The name ${name.error.issues.map(({ message }) => message).join("; ")}.`);
  }
}

async function wantsDashboard(terminal: Terminal | undefined): Promise<boolean> {
  if (terminal === undefined) return true;
  const answer = await terminal.ask("A dashboard at http://localhost:7545 [Y/n]:");
  if (answer === undefined) throw new CommandError(NO_ANSWER);
  return !/^no?$/i.test(answer);
}
