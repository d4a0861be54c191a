import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DevNode, startAnvil } from "../../src/dev/anvil.ts";
import { SAMPLE_LEDGER } from "../../src/dev/slot-samples.ts";
import { hasTerminal, runOnTerminal } from "../support/on-terminal.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { startTollgate } from "../support/tollgate-process.ts";
import { UPSTREAM_SECRET } from "../support/upstream-secret.ts";
import { temporaryFolder } from "../support/written.ts";

let anvil: DevNode;
let mainnet: StandInNode;
beforeAll(async () => {
  anvil = await startAnvil();
  const known: Record<string, string> = {
    eth_chainId: "0x1",
    eth_blockNumber: "0x10",
    web3_clientVersion: "Stand-in/v1",
  };
  mainnet = await startStandInNode(({ method }) => ({ result: known[method] ?? null }));
});
afterAll(async () => {
  await anvil.stop();
  await mainnet.stop();
});

/** An empty folder, in which `init` and what follows it run. */
function workFolder() {
  const folder = temporaryFolder("init");
  const file = join(folder, "tollgate.yaml");
  return {
    folder,
    file,
    text: () => readFile(file, "utf8"),
    run: (...args: string[]) => startTollgate(args, { cwd: folder }).ended,
    onTerminal: (args: readonly string[], answers: readonly string[]) =>
      runOnTerminal(args, { answers, cwd: folder }),
  };
}

test("the file for named nodes passes the check, with a network for each chain", async () => {
  const { run, file, text } = workFolder();
  const nodes = [anvil.url, `${mainnet.url}/${UPSTREAM_SECRET}`, `file:${SAMPLE_LEDGER}`];
  const made = await run("init", ...nodes.flatMap((url) => ["--node", url]), "--yes");
  expect(made).toMatchObject({ code: 0, stderr: "" });
  expect(made.stdout).not.toContain(UPSTREAM_SECRET);
  const rows = made.stdout.replace(/ {2,}/g, "  ");
  expect(rows).toMatch(/^dev {2}node-1 {2}primary {2}anvil\/v\S+ {2}31337 .* {2}ok {2}ok$/m);
  expect(rows).toMatch(/^mainnet {2}node-1 {2}primary {2}Stand-in\/v1 {2}1 .* {2}- {2}ok$/m);
  expect(rows).toMatch(/^slots-cmpneggw {2}node-1 {2}primary .* {2}- {2}ok$/m);

  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const written = await text();
  expect(written).toContain(`ws: "${anvil.wsUrl.replace(/\/$/, "")}`);
  expect(written).toMatch(/secret: "[\w-]{43}"/);
  expect(await run("check", "--json")).toMatchObject({ code: 0 });
  const email = "ada@example.com";
  const account = await run("accounts", "create", email, "--plan", "growth", "--operator");
  expect(account).toMatchObject({ code: 0, stderr: "" });
});

test("nodes of one chain are one network", async () => {
  const { run, text } = workFolder();
  await run("init", "--node", mainnet.url, "--node", `${mainnet.url}/other`, "--yes");
  const written = await text();
  expect(written.match(/ {2}- name: mainnet$/gm)).toHaveLength(1);
  expect(written.match(/ {6}- name: node-\d/gm)).toEqual([
    "      - name: node-1",
    "      - name: node-2",
  ]);
});

test("a variable in an address is filled in to try the node, and stays in the file", async () => {
  const { folder, text } = workFolder();
  const address = `${mainnet.url}/\${NODE_PATH_PART}`;
  const made = startTollgate(["init", "--node", address, "--yes"], {
    cwd: folder,
    command: (argv) => ["env", `NODE_PATH_PART=${UPSTREAM_SECRET}`, ...argv],
  });
  expect(await made.ended).toMatchObject({ code: 0, stderr: "" });
  expect(await text()).toContain(`url: "${address}"`);
});

test.each([
  [
    "a closed port",
    ["--node", "http://127.0.0.1:1"],
    "node 1 cannot be reached: ECONNREFUSED; nothing was written",
  ],
  [
    "no URL",
    ["--node", "10.0.0.1:8545"],
    "node 1 is no URL that can be used here; write it as http://host:port",
  ],
  ["no node", [], "no node is named; name each by its address, such as: tollgate init --node"],
])("%s: exit code 1, why, and no file", async (_name, args, why) => {
  const { run, text } = workFolder();
  const { code, stdout, stderr } = await run("init", ...args, "--yes");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(`tollgate: ${why}`);
  await expect(text()).rejects.toThrow("ENOENT");
});

test("a file that is there stays as it is", async () => {
  const { run, text } = workFolder();
  await run("init", "--node", mainnet.url, "--yes");
  const before = await text();
  const again = await run("init", "--node", anvil.url, "--yes");
  expect(again).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("there is a ./tollgate.yaml already"),
  });
  expect(await text()).toBe(before);
});

describe.runIf(hasTerminal)("on a terminal", () => {
  test("what is not given is asked for, and an answer that cannot be used is asked for again", async () => {
    const { onTerminal, text } = workFolder();
    const answers = [
      ...["http://127.0.0.1:1\n", `${mainnet.url}\n`, `${anvil.url}\n`, "\n"],
      ...["Main\n", "ethereum\n", "\n", "n\n"],
    ];
    const { code, shown } = await onTerminal(["init"], answers);
    expect({ code, shown }).toEqual({
      code: 0,
      shown: expect.stringContaining("is written. Next:"),
    });
    expect(shown).toContain("This node cannot be reached: ECONNREFUSED.");
    expect(shown).toContain("Stand-in/v1, chain 1\n");
    expect(shown).toContain("The name is no name for a network; lower case only");
    const written = await text();
    expect(written.match(/^ {2}- name: \w+$/gm)).toEqual(["  - name: ethereum", "  - name: dev"]);
    expect(written).not.toContain("console");
  });

  test.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("%s ends it, and nothing is written", async (_name, key) => {
    const { onTerminal, text } = workFolder();
    const { code, shown } = await onTerminal(["init"], [`${mainnet.url}\n`, key]);
    expect({ code, shown }).toEqual({
      code: 1,
      shown: expect.stringContaining("it was not answered; nothing was written"),
    });
    await expect(text()).rejects.toThrow("ENOENT");
  });
});
