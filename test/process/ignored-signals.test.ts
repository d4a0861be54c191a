import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SECRET } from "../console/support/test-console.ts";
import { childrenOf } from "../support/child-processes.ts";
import { smallDisk } from "../support/small-disk.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { startTollgate, type TollgateProcess } from "../support/tollgate-process.ts";
import { recordKey } from "../support/written.ts";

const SIGNALS = ["SIGHUP", "SIGUSR2"] as const;

let release: () => void;
const released = new Promise<void>((resolve) => {
  release = resolve;
});
let node: StandInNode;
beforeAll(async () => {
  node = await startStandInNode(async ({ method }) => {
    if (method === "eth_getCode") await released;
    return { result: "0x6001" };
  });
});
afterAll(() => node?.stop());

const configOf = (server: object, rest: object = {}) => ({
  server: { port: 0, ...server },
  admin: { port: 0 },
  storage: { url: "sqlite:./tollgate.db" },
  networks: [
    { name: "node", family: "evm", chainId: 1, upstreams: [{ name: "a", url: node.url }] },
  ],
  ...rest,
});

/** A key of a new account. */
async function keyOf(workplace: Workplace): Promise<string> {
  await workplace.json("accounts", "create", "ada@example.com", "--plan", "growth");
  const words = ["keys", "create", "--account", "ada@example.com", "--name", "a"];
  const { key } = (await workplace.json(...words)) as { key: string };
  recordKey(key);
  return key;
}

async function call(origin: string, key: string, method = "eth_getCode"): Promise<number> {
  const params = [`0x${"11".repeat(20)}`, "latest"];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${origin}/node/v3/${key}`, { method: "POST", headers, body });
  await response.text();
  return response.status;
}

describe("SIGHUP and SIGUSR2 end no process", () => {
  let workplace: Workplace;
  let gateway: Started;
  beforeAll(async () => {
    const console = { port: 0, signup: "closed", secret: SECRET };
    workplace = await openWorkplace(configOf({ workers: 2 }, { console }));
    gateway = await workplace.start();
    await gateway.process.says(/"msg":"dashboard serves"/);
  });
  afterAll(() => workplace?.clear());

  test("in the primary process, in workers and in the dashboard's: calls in the air are answered", async () => {
    const key = await keyOf(workplace);
    const inAir = Array.from({ length: 4 }, () => call(gateway.origin, key));
    await expect.poll(() => node.requests.some((each) => each.method === "eth_getCode")).toBe(true);
    const { pid } = gateway.process;
    const processes = [pid, ...childrenOf(pid)];
    expect(processes).toHaveLength(4);
    const said = (signal: string) =>
      gateway.process.output().match(new RegExp(`"signal":"${signal}","msg":"signal ignored`, "g"))
        ?.length ?? 0;
    for (const signal of SIGNALS) {
      for (const each of processes) process.kill(each, signal);
      // The primary process reloads its file.
      const ignoring = signal === "SIGHUP" ? processes.length - 1 : processes.length;
      await expect.poll(() => said(signal)).toBe(ignoring);
    }
    await gateway.process.says(/"msg":"configuration reloaded"/);
    release();
    expect(await Promise.all(inAir)).toEqual([200, 200, 200, 200]);
    expect(childrenOf(pid)).toEqual(processes.slice(1));
    gateway.process.kill("SIGTERM");
    expect((await gateway.process.ended).code).toBe(0);
  });
});

describe("a gateway goes on where its log cannot be written", () => {
  let workplace: Workplace;
  const running: TollgateProcess[] = [];
  beforeAll(async () => {
    workplace = await openWorkplace(configOf({}));
  });
  afterAll(async () => {
    for (const { kill, ended } of running) {
      kill("SIGKILL");
      await ended;
    }
    await workplace?.clear();
  });

  test("because its terminal was closed", async () => {
    release();
    const key = await keyOf(workplace);
    const inTerminal = (argv: readonly string[]) =>
      ["script", "-qfc", `exec ${argv.join(" ")}`, "/dev/null"] as const;
    const args = ["start", "--config", workplace.file];
    const terminal = startTollgate(args, { command: inTerminal });
    running.push(terminal);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the terminal's colours
    const [, port] = await terminal.says(/serving[\s\S]*?port\S*: (?:\x1b\[\d+m)*(\d+)/);
    const [pid = 0] = childrenOf(terminal.pid);
    const origin = `http://127.0.0.1:${port}`;
    expect(await call(origin, key)).toBe(200);
    try {
      terminal.kill("SIGKILL");
      await terminal.ended;
      // Each writes a line, or tries to.
      for (const signal of SIGNALS)
        for (let times = 0; times < 5; times += 1) process.kill(pid, signal);
      for (let times = 0; times < 5; times += 1) {
        expect(await call(origin, key, "eth_blockNumber")).toBe(200);
      }
    } finally {
      process.kill(pid, "SIGTERM");
    }
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test("because the disk of the log is full, and writes on when there is room", async () => {
    release();
    const disk = smallDisk(400_000);
    const command = (argv: readonly string[]) => {
      const [file, ...words] = disk.command([
        ...["sh", "-c", `exec "$@" > ${disk.folder}/log`, "sh"],
        ...argv,
      ]);
      return [file, ...words] as const;
    };
    const gateway = startTollgate(["start", "--config", workplace.file], { command });
    running.push(gateway);
    const log = () => {
      try {
        return readFileSync(`${disk.folderOf(gateway.pid)}/log`, "utf8");
      } catch {
        return "";
      }
    };
    const lines = () => log().match(/signal ignored/g)?.length ?? 0;
    await expect.poll(() => /"msg":"serving"/.test(log()), { timeout: 10_000 }).toBe(true);
    const [, port] = /"port":(\d+),[^\n]*"msg":"serving"/.exec(log()) ?? [];
    const key = (await workplace.json(
      "keys",
      "create",
      "--account",
      "ada@example.com",
      "--name",
      "b",
    )) as {
      key: string;
    };
    recordKey(key.key);
    disk.fill(gateway.pid);
    const before = lines();
    const origin = `http://127.0.0.1:${port}`;
    // More than the last page of the file has room for.
    for (let times = 0; times < 100; times += 1) {
      process.kill(gateway.pid, "SIGUSR2");
      expect(await call(origin, key.key, "eth_blockNumber")).toBe(200);
    }
    disk.makeRoom(gateway.pid);
    process.kill(gateway.pid, "SIGHUP");
    await expect.poll(lines).toBeGreaterThan(before);
    expect(log().split("\n").slice(0, -1).every(isJson)).toBe(true);
    gateway.kill("SIGTERM");
    expect((await gateway.ended).code).toBe(0);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
