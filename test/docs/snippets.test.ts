/**
 * Every command and snippet of the pages is run: `sh` by a shell against running gateways, `js` with
 * the client libraries of test/outside, `sql` by a PostgreSQL server, `yaml` by the configuration's own
 * parser. What a comment before a block may say, `<!-- test: … -->`:
 *
 * - `dev`: the command of the gateway that all pages call; `background`: goes on until the page's end
 * - `fails`: its exit code is 1
 * - `file NAME`: written to that file for the commands after it; `of N faults`: it has so many
 * - `output [of dev|background]`: what was printed; `…` stands for anything
 * - `call NETWORK`: a request without its envelope, sent to that network; `answer`: what came, without
 *   the envelope and however it is broken into lines; `…` stands for anything here too
 * - `excerpt of FILE`: stands in that file, to the letter
 * - `by FILE`: the test that runs it, which reads the page
 * - `scripts`: takes too long here, so it is only looked up: each npm script that it names exists
 * - `values`: of the Helm chart, whose `config` is the configuration
 * - `machine`: changes the reader's machine, so a shell reads it without carrying it out, each file of
 *   `deploy` that it names exists, and so does each command of `tollgate`
 */
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { ConfigError } from "../../src/config/faults.ts";
import { parseConfig } from "../../src/config/load.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { Running, userEnvironment } from "../support/shell.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { type Block, blocksOf, ROOT, read } from "./blocks.ts";
import { type Dev, Session } from "./session.ts";

const PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...globSync("docs/*.md").toSorted()];
const COMMAND_OF_DEV = "npm start";
/** What the readers' own nodes say in the pages. */
const NODE: Readonly<Record<string, string>> = {
  eth_chainId: "0x1",
  eth_blockNumber: "0x16caf60",
  web3_clientVersion: "Geth/v1.17.0",
  eth_getBalance: "0x0",
};

let dev: Dev;
let running: Running | undefined;
let node: StandInNode | undefined;
let postgresPort = "";

beforeAll(async () => {
  expect(existsSync("test/outside/node_modules"), "npm run pretest installs it").toBe(true);
  node = await startStandInNode(({ method }) => ({ result: NODE[method] ?? null }));
  postgresPort = new URL(await sharedPostgres()).port;
  const [command = "", ...args] = COMMAND_OF_DEV.split(" ");
  running = new Running(command, args, { cwd: ROOT, env: userEnvironment() });
  dev = { printed: await running.printed(/Ctrl-C ends everything/) };
});

afterAll(async () => {
  await running?.end("SIGINT");
  await node?.stop();
});

for (const page of PAGES) {
  const blocks = blocksOf(read(page));

  describe(page, () => {
    let session: Session;
    beforeAll(async () => {
      session = new Session(dev, { nodeUrl: node?.url ?? "", postgresPort });
      await session.prepare();
    });
    afterAll(() => session.end());

    test("has no fence and no indented block that is not tried", () => {
      expect(blocks).toHaveLength((read(page).match(/^ *```/gm)?.length ?? 0) / 2);
      expect(read(page)).not.toMatch(/\n\n {4}(?![ *-])\S.*\n/);
    });

    for (const block of blocks) {
      test(`line ${block.line}: ${block.language} ${block.how}`, () => tryBlock(block, session));
    }
  });
}

/** As the server's own client does: statement by statement. */
async function expectCarriedOut(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: await sharedPostgres() });
  await client.connect();
  for (const statement of text.split(/;\n/).filter((each) => each.trim() !== "")) {
    await client.query(statement);
  }
  await client.end();
}

async function tryBlock(block: Block, session: Session): Promise<void> {
  const { how, language, text } = block;
  const [way = "", rest = ""] = how.split(/ (?:of )?(.*)/);
  if (language === "json") JSON.parse(text);
  switch (`${language} ${way}`.trim()) {
    case "sh":
      return session.shell(text);
    case "sh fails":
      return session.shell(text, 1);
    case "sh background":
      return session.background(text.trim());
    case "sh dev":
      expect(text.trim()).toBe(`npm install && ${COMMAND_OF_DEV}`);
      return;
    case "sh scripts":
      return expectScripts(text);
    case "sh machine":
      return expectReadable(text, session);
    case "js":
      return session.program(text);
    case "sql":
      return expectCarriedOut(text);
    case "sql by":
      expect(read(rest)).toContain("docs/operations.md");
      return;
    case "yaml":
      return void faultsOf(text, session, 0);
    case "yaml values":
      return expectValues(text, session);
    case "yaml file": {
      const [name = "", faults = "0"] = rest.split(/ of (\d+) faults/);
      session.write(name, text);
      return faultsOf(text, session, Number(faults));
    }
    case "json output":
    case "text output":
      return expectOutput(text, rest, session);
    case "json call":
      return session.call(rest, text);
    case "json answer":
    case "text answer":
      return expectMatch(compact(session.fill(text)), compact(session.lastOutput), "whole");
    case "ts excerpt":
    case "yaml excerpt":
    case "ini excerpt":
    case "nginx excerpt":
    case "haproxy excerpt":
      expect(read(rest)).toContain(text);
      return;
    case "json":
      return;
    default:
      throw new Error(`nobody knows how to try a block of ${language || "no language"} (${how})`);
  }
}

function expectScripts(text: string): void {
  for (const command of text.trim().split(/\n| && /)) {
    const [, script] = /^npm (?:run )?([\w:-]+)$/.exec(command) ?? [];
    if (script !== "install") expect(Object.keys(manifest.scripts), command).toContain(script);
  }
}

/** Files of `deploy` and commands of `tollgate`, also across the end of a line. */
const FILES = /\bdeploy\/[\w./-]+/g;
const COMMANDS = /\b(?:tollgate|cli\.js)(?: \\\n)? +([a-z]+(?: [a-z]+\b(?![@.]))?)/g;

/** `helm install tollgate deploy/…` installs under that name. */
async function expectReadable(text: string, session: Session): Promise<void> {
  await session.shell(`sh -n <<'SCRIPT'\n${text}\nSCRIPT`);
  for (const [file] of text.matchAll(FILES)) expect(existsSync(file), file).toBe(true);
  const own = text.replace(/^(docker|helm|kubectl|sudo (systemctl|install)) .*/gm, "");
  for (const [, words] of own.matchAll(COMMANDS)) await session.shell(`tollgate ${words} --help`);
}

/** The chart's own values, and over them the reader's. */
function expectValues(text: string, session: Session): void {
  const { config } = parse(read("deploy/helm/tollgate/values.yaml"));
  faultsOf(stringify({ ...config, ...parse(text).config }), session, 0);
}

function faultsOf(text: string, session: Session, expected: number): void {
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [
    name,
    name?.endsWith("_URL") ? "https://node.example/" : "value-of-the-reader-s-environment",
  ]);
  // A part of a file says nothing of networks.
  const whole = text.includes("networks:") ? text : `${text}\n${read("test/docs/networks.yaml")}`;
  const parsed = () =>
    parseConfig(session.fill(whole), {
      baseDir: session.folder,
      environment: Object.fromEntries(names),
    });
  let found = 0;
  try {
    parsed();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    found = error.faults.length;
    if (expected === 0) throw error;
  }
  expect(found).toBe(expected);
}

function expectOutput(text: string, source: string, session: Session): void {
  const printed: Record<string, string> = {
    dev: session.dev.printed,
    background: session.backgroundOutput,
    "": session.lastOutput,
  };
  // Of a process that goes on, the page shows a part.
  const part = source === "" ? "whole" : "part";
  expectMatch(spaced(session.fill(text)), spaced(printed[source] ?? ""), part);
}

/** `…` in a page stands for anything. */
function expectMatch(told: string, printed: string, part: "whole" | "part"): void {
  const pattern = told
    .split("…")
    .map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[\\s\\S]*?");
  expect(printed).toMatch(new RegExp(part === "whole" ? `^${pattern}$` : pattern));
}

/** JSON without the space between its tokens. */
function compact(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (found) => (found.startsWith('"') ? found : ""));
}

/** Without what columns and the ends of lines add. */
function spaced(text: string): string {
  return text.replace(/ +/g, " ").replace(/ *… */g, "…").trim();
}

test("each file that the pages name exists", () => {
  for (const page of PAGES) {
    const named = read(page).matchAll(/`((?:src|test|docs|scripts|examples)\/[\w./-]+)`/g);
    for (const [, file = ""] of named) expect(existsSync(join(ROOT, file)), file).toBe(true);
    const folder = join(ROOT, page, "..");
    for (const [, link = ""] of read(page).matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      expect(existsSync(join(folder, link)), `${page}: ${link}`).toBe(true);
    }
  }
});
