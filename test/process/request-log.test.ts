import { appendFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { smallDisk } from "../support/small-disk.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { makeKey, openWorkplace, type Workplace } from "../support/started-gateway.ts";
import { UPSTREAM_SECRET } from "../support/upstream-secret.ts";
import { temporaryFolder } from "../support/written.ts";

type Line = Readonly<Record<string, unknown>>;

let node: StandInNode;
beforeAll(async () => {
  node = await startStandInNode(({ method }) =>
    method === "eth_call"
      ? { error: { code: 3, message: "execution reverted", data: "0x" } }
      : { result: "0x1" },
  );
});
afterAll(() => node.stop());

let workplace: Workplace;
afterEach(() => workplace.clear());

const configOf = (requestLog: object | undefined): object => ({
  server: { port: 0 },
  admin: { port: 0 },
  storage: { url: "sqlite:./tollgate.db" },
  cache: { memoryBytes: 0 },
  plans: { growth: { creditsPerSecond: 1_000_000_000 } },
  ...(requestLog && { requestLog }),
  networks: [
    {
      ...{ name: "net", family: "evm", chainId: 1 },
      upstreams: [{ name: "geth-a", url: `${node.url}/${UPSTREAM_SECRET}` }],
    },
  ],
});

const linesOf = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line.includes('"durationMs"'))
    .map((line) => JSON.parse(line));

/** Sends a body, a call or several, with a request id of its own. */
async function send(url: string, body: object, requestId = "a-request"): Promise<string> {
  const headers = { "content-type": "application/json", "x-request-id": requestId };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return response.text();
}
const call = (method: string, params: readonly unknown[] = []) => ({
  ...{ jsonrpc: "2.0", id: 1, method, params },
});
const ADDRESS = `0x${"ab".repeat(20)}`;

test("each call of an account is a line, with what it cost and who answered", async () => {
  workplace = await openWorkplace(configOf({ path: "./logs/requests.jsonl" }));
  const gateway = await workplace.start();
  const key = await makeKey(workplace);
  const url = `${gateway.origin}/net/v3/${key}`;
  const balance = call("eth_getBalance", [ADDRESS, "latest"]);
  await send(url, balance);
  await send(url, [call("eth_chainId"), call("eth_call", [{ to: ADDRESS }, "latest"])], "a-batch");
  await send(url, call(`eth_${key}`));
  await send(`${gateway.origin}/net/v3/${"tg_".padEnd(35, "x")}`, balance);
  gateway.process.kill("SIGTERM");
  await gateway.process.ended;

  const file = join(workplace.folder, "logs/requests.jsonl");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, "utf8");
  const [{ id: keyId, account } = { id: "", account: "" }] = (await workplace.json(
    ...["keys", "list"],
  )) as { id: string; account: string }[];
  const [{ id: owner } = { id: "" }] = (await workplace.json("accounts", "list")) as {
    id: string;
  }[];
  expect(account).toBe("ada@example.com");
  const common = {
    ...{ time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), account: owner, keyId },
    ...{ network: "net", durationMs: expect.any(Number) },
  };
  const lines = linesOf(text);
  const line = (requestId: string, method: string, rest: object) => ({
    ...common,
    requestId,
    method,
    ...rest,
  });
  const ofNode = { credits: 80, upstream: "geth-a" };
  expect(lines).toHaveLength(4);
  expect(lines).toEqual(
    expect.arrayContaining([
      line("a-request", "eth_getBalance", { outcome: "ok", ...ofNode }),
      line("a-batch", "eth_chainId", { outcome: "ok", credits: 5, upstream: null }),
      line("a-batch", "eth_call", { outcome: "revert", ...ofNode }),
      line("a-request", "eth_tg_[redacted]", {
        ...{ outcome: "method_not_found", credits: 0, upstream: null },
      }),
    ]),
  );
  for (const secret of [key, UPSTREAM_SECRET, ADDRESS]) expect(text).not.toContain(secret);
});

test("params stand in a line where they were asked for, those that are long as cut text", async () => {
  workplace = await openWorkplace(configOf({ path: "-", params: true }));
  const gateway = await workplace.start();
  const key = await makeKey(workplace);
  const url = `${gateway.origin}/net/v3/${key}`;
  await send(url, call("eth_getBalance", [ADDRESS, "latest"]));
  await send(url, call("eth_call", [{ to: ADDRESS, data: `0x${"00".repeat(4000)}` }, "latest"]));
  await send(url, call("web3_sha3", [`${key} ü`]));
  gateway.process.kill("SIGTERM");
  const { stdout } = await gateway.process.ended;
  const [balance, long, wrong] = linesOf(stdout).map(({ params }) => params);
  expect(balance).toEqual([ADDRESS, "latest"]);
  expect(long).toMatch(new RegExp(`^\\[\\{"to":"${ADDRESS}","data":"0x0+…$`));
  expect(wrong).toEqual(["tg_[redacted] ü"]);
});

test("the share of calls that the file says is written, and none without it", async () => {
  const calls = Array.from({ length: 400 }, () => call("eth_chainId"));
  workplace = await openWorkplace(configOf({ path: "./requests.jsonl", ratio: 0.25 }));
  const gateway = await workplace.start();
  await send(`${gateway.origin}/net/v3/${await makeKey(workplace)}`, calls);
  gateway.process.kill("SIGTERM");
  await gateway.process.ended;
  const lines = linesOf(readFileSync(join(workplace.folder, "requests.jsonl"), "utf8"));
  // Six standard deviations.
  expect(Math.abs(lines.length - 100)).toBeLessThan(52);
  await workplace.clear();

  workplace = await openWorkplace(configOf(undefined));
  const silent = await workplace.start();
  await send(`${silent.origin}/net/v3/${await makeKey(workplace)}`, calls);
  silent.process.kill("SIGTERM");
  expect(linesOf((await silent.process.ended).stdout)).toEqual([]);
});

test("a folder that cannot be written keeps the gateway from starting, and says so", async () => {
  const folder = temporaryFolder("request-log");
  appendFileSync(join(folder, "file"), "");
  workplace = await openWorkplace(configOf({ path: join(folder, "file/requests.jsonl") }));
  const { code, stderr } = await workplace.run("start");
  expect(code).toBe(1);
  expect(stderr).toMatch(/^tollgate: (?:ENOTDIR|EEXIST): .*\n$/);
});

describe("on a disk that is full", () => {
  test("calls are served, the log says that lines are lost, and lines come again once there is room", async () => {
    const disk = smallDisk(16 << 20);
    workplace = await openWorkplace(configOf({ path: join(disk.folder, "requests.jsonl") }));
    const gateway = await workplace.start({ command: disk.command });
    const { pid } = gateway.process;
    const url = `${gateway.origin}/net/v3/${await makeKey(workplace)}`;
    const batch = Array.from({ length: 500 }, () => call("eth_chainId"));
    const servedOf = async () => ((await send(url, batch)).match(/"result":"0x1"/g) ?? []).length;
    const file = join(disk.folderOf(pid), "requests.jsonl");
    expect(await servedOf()).toBe(500);
    await expect.poll(() => statSync(file).size, { timeout: 5000 }).toBeGreaterThan(10_000);

    disk.fill(pid);
    const full = statSync(file).size;
    // 7 MB of lines: more than may wait.
    for (let count = 0; count < 60; count += 1) expect(await servedOf()).toBe(500);
    await gateway.process.says(
      /"cause":"Error: (?:ENOSPC|EFBIG)[^"]*".*"msg":"the request log cannot be written"/,
    );

    disk.makeRoom(pid);
    expect(await servedOf()).toBe(500);
    await expect
      .poll(() => statSync(file).size, { timeout: 10_000 })
      .toBeGreaterThan(full + (1 << 20));
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
    gateway.process.kill("SIGTERM");
    expect(await gateway.process.ended).toMatchObject({ code: 0 });
  });
});
