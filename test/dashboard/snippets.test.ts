import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Dashboard, startDashboard } from "./support/dashboard.ts";
import { createKey, heading } from "./support/steps.ts";
import { openBrowser } from "./support/test-browser.ts";

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
  await createKey(visitor.page, "snippets");
  await readPrograms(visitor.page);
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

test("each network has a program for every tool of its kind", () => {
  expect([...programs.keys()]).toEqual([
    ...["curl", "viem", "ethers", "web3.py", "Go"].map((tool) => `mainnet ${tool}`),
    ...["curl", "@solana/kit"].map((tool) => `solana ${tool}`),
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
  const tool: Tool = TOOLS[name];
  if (tool.needs !== undefined) {
    const [command, ...args] = tool.needs;
    skip(spawnSync(command, args).status !== 0, `${name} is not installed; npm cannot`);
  }
  expect(await run(tool, programs.get(`${network} ${name}`) ?? "")).toBe(printed);
});

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
