import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BALANCE, type Dashboard, startDashboard } from "./support/dashboard.ts";
import { button, createKey, heading, keepKey } from "./support/steps.ts";
import { openBrowser, type Visitor } from "./support/test-browser.ts";

const MODULES = fileURLToPath(new URL("../outside/node_modules", import.meta.url));
const HEAD = 24_091_177;
const SLOT = 968;
const RUN_MS = 60_000;

/** How a reader runs what a tab shows. `needs`: what is found out before, where it may be absent. */
const TOOLS = {
  curl: { file: "call.sh", run: ["sh", "call.sh"] },
  viem: { file: "block.mjs", run: [process.execPath, "block.mjs"] },
  ethers: { file: "block.mjs", run: [process.execPath, "block.mjs"] },
  "@solana/kit": { file: "slot.mjs", run: [process.execPath, "slot.mjs"] },
  "web3.py": {
    ...{ file: "block.py", run: ["python3", "block.py"] },
    needs: ["python3", "-c", "import web3"],
  },
} as const satisfies Record<string, Tool>;

type Tool = {
  readonly file: string;
  readonly run: readonly [string, ...string[]];
  readonly needs?: readonly [string, ...string[]];
};

let dashboard: Dashboard;
/** By network and tool, as the page shows them after a key was made. */
const programs = new Map<string, string>();
beforeAll(async () => {
  const [started, browser] = await Promise.all([startDashboard({ head: HEAD }), openBrowser()]);
  dashboard = started;
  const visitor = await browser.visit(dashboard);
  await dashboard.signIn(visitor, "ada@example.com");
  await visitor.open("/keys");
  await heading(visitor.page, "API keys").waitFor();
  const key = await createKey(visitor.page, "snippets");
  await readPrograms(visitor.page);
  await keepKey(visitor.page);
  await readCalls(visitor, key);
  expect(await browser.leave()).toEqual([]);
  await browser.close();
});
afterAll(() => dashboard?.stop());

async function readPrograms(page: Page): Promise<void> {
  for (const network of ["mainnet", "solana"]) {
    await page.getByLabel("Network").selectOption(network);
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      const tool = (await tab.textContent()) ?? "";
      const program = page.getByRole("figure", { name: `${tool} program`, exact: true });
      programs.set(`${network} ${tool}`, (await program.locator("pre").textContent()) ?? "");
    }
  }
}

/** The explorer's example of a method, as each of its tabs has it. */
async function readCalls({ page, open }: Visitor, key: string): Promise<void> {
  for (const [network, method] of [
    ["mainnet", "eth_getBalance"],
    ["solana", "getSlot"],
  ] as const) {
    await open(`/explorer?${new URLSearchParams({ network, method })}`);
    const example = button(page, "Fill in an example");
    if (network === "mainnet") await example.click();
    await page.getByText("Copy as code").click();
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      const tool = (await tab.textContent()) ?? "";
      const figure = page.getByRole("figure", { name: `The call for ${tool}`, exact: true });
      const program = (await figure.locator("pre").textContent()) ?? "";
      programs.set(`${method} ${tool}`, program.replace("YOUR_KEY", key));
    }
  }
}

test("each network has a program for every tool of its kind", () => {
  expect([...programs.keys()]).toEqual([
    ...["curl", "viem", "ethers", "web3.py", "Go"].map((tool) => `mainnet ${tool}`),
    ...["curl", "@solana/kit"].map((tool) => `solana ${tool}`),
    ...["curl", "viem", "ethers", "web3.py"].map((tool) => `eth_getBalance ${tool}`),
    ...["curl", "@solana/kit"].map((tool) => `getSlot ${tool}`),
  ]);
});

test.for([
  ["mainnet", "curl", `{"jsonrpc":"2.0","id":1,"result":"0x${HEAD.toString(16)}"}`],
  ["mainnet", "viem", `${HEAD}n`],
  ["mainnet", "ethers", `${HEAD}`],
  ["mainnet", "web3.py", `${HEAD}`],
  ["solana", "curl", `{"jsonrpc":"2.0","id":1,"result":${SLOT}}`],
  ["solana", "@solana/kit", `${SLOT}n`],
] as const)("%s: the program for %s prints the newest block as pasted", async (row, { skip }) => {
  const [network, name, printed] = row;
  requireTool(name, skip);
  expect(await run(TOOLS[name], programs.get(`${network} ${name}`) ?? "")).toBe(printed);
});

test.for([
  ["eth_getBalance", "curl", BALANCE],
  ["eth_getBalance", "viem", BALANCE],
  ["eth_getBalance", "ethers", BALANCE],
  ["eth_getBalance", "web3.py", BALANCE],
  ["getSlot", "curl", `${SLOT}`],
  ["getSlot", "@solana/kit", `${SLOT}`],
] as const)(
  "%s: the call that the explorer wrote for %s prints what it brings",
  async (row, { skip }) => {
    const [method, name, printed] = row;
    requireTool(name, skip);
    expect(await run(TOOLS[name], programs.get(`${method} ${name}`) ?? "")).toContain(printed);
  },
);

type Skip = (condition: boolean, why: string) => void;

function requireTool(name: keyof typeof TOOLS, skip: Skip): void {
  const tool: Tool = TOOLS[name];
  if (tool.needs !== undefined) {
    const [command, ...args] = tool.needs;
    skip(spawnSync(command, args).status !== 0, `${name} is not installed; npm cannot`);
  }
}

/** In a folder of its own, that is gone afterwards: the program holds a key. */
async function run({ file, run: [command, ...args] }: Tool, program: string): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), "tollgate-snippet-"));
  try {
    writeFileSync(join(cwd, file), program);
    symlinkSync(MODULES, join(cwd, "node_modules"));
    const child = spawn(command, args, { cwd, timeout: RUN_MS });
    let [printed, complaints] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      printed += piece;
    });
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      complaints += piece;
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect(code, complaints).toBe(0);
    return printed.trim();
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
