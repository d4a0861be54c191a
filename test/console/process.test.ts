import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ConsoleHost } from "../../src/commands/serve/console-process.ts";
import { parseConfig } from "../../src/config/load.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { freePort } from "../support/free-port.ts";
import { isAlive } from "../support/shell.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { ON_POSTGRES, testStorage } from "../support/test-storage.ts";
import { temporaryFolder } from "../support/written.ts";
import { Browser } from "./support/browser.ts";
import { SECRET } from "./support/test-console.ts";

let node: StandInNode;
beforeAll(async () => {
  node = await startStandInNode(({ method }) => ({
    result: method === "eth_chainId" ? "0x1" : null,
  }));
});
afterAll(() => node.stop());

const workplaces: Workplace[] = [];
afterEach(async () => {
  for (const workplace of workplaces.splice(0)) await workplace.clear();
});

async function open(section: object = {}, over: object = {}): Promise<Workplace> {
  const workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    console: { port: 0, signup: "closed", secret: SECRET, ...section },
    storage: await testStorage("sqlite:./tollgate.db"),
    networks: [{ name: "node", family: "evm", upstreams: [{ name: "geth", url: node.url }] }],
    ...over,
  });
  workplaces.push(workplace);
  return workplace;
}

type Serving = { readonly port: number; readonly pid: number; readonly origin: string };

/** The nth time that the log tells where the dashboard is. */
async function served({ process }: Started, times = 1): Promise<Serving> {
  const line = '[^]*?"port":(\\d+),"pid":(\\d+),"msg":"dashboard serves"';
  const found = await process.says(new RegExp(line.repeat(times)));
  const [port = "", pid = ""] = found.slice(-2);
  return { port: Number(port), pid: Number(pid), origin: `http://localhost:${port}` };
}

const configOf = async ({ origin }: Serving) => (await fetch(`${origin}/api/config`)).json();
const callsWork = async (gateway: Started) => {
  const answer = await fetch(`${gateway.origin}/node/v3/none`, { method: "POST", body: "{}" });
  return answer.status === 401;
};
/** A process that has ended is a moment later gone. */
async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (!isAlive(pid)) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

test("the dashboard ends with the gateway, in order, and leaves nobody else to read its users", async () => {
  const workplace = await open();
  const gateway = await workplace.start();
  const dashboard = await served(gateway);
  expect(await configOf(dashboard)).toMatchObject({
    signup: "closed",
    mail: false,
    gateway: { httpUrl: gateway.origin },
  });
  const users = join(workplace.folder, "tollgate.console.db");
  const files = ON_POSTGRES ? [] : [users, `${users}-wal`, `${users}-shm`];
  for (const file of files) expect(statSync(file).mode & 0o077, file).toBe(0);
  gateway.process.kill("SIGTERM");
  expect(await gateway.process.ended).toMatchObject({ code: 0, stderr: "" });
  expect(isAlive(dashboard.pid)).toBe(false);
  expect(gateway.process.output()).not.toContain("dashboard ended");
  expect(existsSync(`${users}-wal`)).toBe(false);
});

test("a dashboard that is killed comes back to its port, forgets no session and forgives no guess; calls go on", async () => {
  const workplace = await open({ port: await freePort() });
  await workplace.json("accounts", "create", "ada@example.com", "--plan", "free");
  const gateway = await workplace.start();
  const first = await served(gateway);
  const { url } = (await workplace.json("accounts", "link", "ada@example.com")) as { url: string };
  const ada = new Browser(first.origin, first.origin);
  await ada.get(url);
  expect((await ada.get("/api/me")).status).toBe(200);

  const guess = async () => {
    const body = { email: "ada@example.com", password: "wrong word" };
    const eve = new Browser(first.origin, first.origin);
    return (await eve.post("/api/auth/sign-in/email", body)).status;
  };
  // By the e-mail five are tried, by the address ten a minute.
  for (let attempt = 0; attempt < 10; attempt += 1) {
    expect(await guess()).toBe(attempt < 5 ? 401 : 429);
  }

  process.kill(first.pid, "SIGKILL");
  expect(await callsWork(gateway)).toBe(true);
  const second = await served(gateway, 2);
  expect(second.port).toBe(first.port);
  expect(second.pid).not.toBe(first.pid);
  expect((await ada.get("/api/me")).status).toBe(200);
  expect(await guess()).toBe(429);
  expect(gateway.process.output()).toMatch(
    /"cause":"SIGKILL","pauseMs":250,"msg":"dashboard ended"/,
  );
});

test("a link of the command line signs in, while the dashboard runs and before it ever did", async () => {
  const port = await freePort();
  const workplace = await open({ port });
  await workplace.json("accounts", "create", "ada@example.com", "--plan", "free", "--operator");
  const link = async () => {
    const made = await workplace.json("accounts", "link", "ADA@example.com");
    expect(made).toEqual({ account: "ada@example.com", url: expect.stringMatching(/^http/) });
    return (made as { url: string }).url;
  };
  const before = await link();
  const gateway = await workplace.start();
  const dashboard = await served(gateway);
  const opens = async (url: string) => {
    const browser = new Browser(dashboard.origin, dashboard.origin);
    await browser.get(url);
    return (await browser.get("/api/me")).json;
  };
  const me = { operator: true, accounts: [{ email: "ada@example.com", role: "owner" }] };
  expect(await opens(before)).toMatchObject(me);
  expect(await opens(before)).toMatchObject({ error: { code: "unauthorized" } });
  const during = await link();
  expect(await opens(during)).toMatchObject(me);

  const unknown = await workplace.run("accounts", "link", "eve@example.com");
  expect(unknown).toMatchObject({ code: 1, stdout: "" });
  expect(unknown.stderr).toMatch(/eve@example.com/);
  const log = gateway.process.output();
  for (const url of [before, during]) {
    expect(log).not.toContain(new URL(url).searchParams.get("token"));
  }
  expect(log).not.toContain(SECRET);
});

test("no link is made where its address cannot be known, or no dashboard is configured", async () => {
  for (const over of [{}, { console: undefined }]) {
    const workplace = await open({}, over);
    await workplace.json("accounts", "create", "ada@example.com", "--plan", "free");
    const failed = await workplace.run("accounts", "link", "ada@example.com");
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toMatch(/console.port is 0|no console section/);
  }
});

test("a dashboard does not outlive a gateway that is killed", async () => {
  const gateway = await (await open()).start();
  const { pid } = await served(gateway);
  gateway.process.kill("SIGKILL");
  expect(await gone(pid)).toBe(true);
});

test("a port that is taken keeps the dashboard closed, says why, and disturbs no call", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const gateway = await (await open({ port })).start();
  await gateway.process.says(/"cause":"listen EADDRINUSE[^"]*","msg":"dashboard did not start"/);
  expect(await callsWork(gateway)).toBe(true);
  server.close();
  await once(server, "close");
  expect((await served(gateway)).port).toBe(port);
  gateway.process.kill("SIGTERM");
  expect((await gateway.process.ended).code).toBe(0);
});

test("where the port was taken since it was found free, the dashboard of dev takes the next one", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const text = JSON.stringify({
    console: { port, signup: "closed", secret: SECRET },
    storage: { url: "sqlite:./tollgate.db" },
    networks: [{ name: "node", family: "evm", upstreams: [{ name: "geth", url: node.url }] }],
  });
  const config = parseConfig(text, { baseDir: temporaryFolder("console"), environment: {} });
  const host = new ConsoleHost(createLog({ level: "silent", terminal: false }), systemClock);
  const ports = { console: port, gateway: 1, admin: undefined };
  const serving = await host.start({ config, ports, printsMail: false, movesOn: true });
  expect(serving.port).toBeGreaterThan(port);
  expect(serving.publicUrl).toBe(`http://localhost:${serving.port}`);
  await host.stop();
  server.close();
});

test("with workers, one dashboard stands beside them", async () => {
  const gateway = await (await open({}, { server: { port: 0, workers: 2 } })).start();
  const dashboard = await served(gateway);
  expect(await configOf(dashboard)).toMatchObject({ gateway: { httpUrl: gateway.origin } });
  gateway.process.kill("SIGINT");
  expect((await gateway.process.ended).code).toBe(0);
  expect(isAlive(dashboard.pid)).toBe(false);
});
