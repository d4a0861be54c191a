import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { get } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { runTollgate, startTollgate } from "../support/tollgate-process.ts";
import { UPSTREAM_SECRET } from "../support/upstream-secret.ts";
import { temporaryFolder } from "../support/written.ts";

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';

let node: StandInNode;
beforeAll(async () => {
  node = await startStandInNode(({ method }) => {
    const known: Record<string, string> = {
      eth_chainId: "0x1",
      eth_blockNumber: "0x10",
      web3_clientVersion: "Stand-in/v1",
    };
    return { result: known[method] ?? null };
  });
});
afterAll(() => node.stop());

const config = (upstreams: object[], over: object = {}): object => ({
  server: { port: 0 },
  admin: { port: 0 },
  storage: { url: "sqlite:./tollgate.db" },
  networks: [{ name: "node", family: "evm", chainId: 1, upstreams }],
  ...over,
});
const upstream = (over: object = {}): object => ({
  name: "geth-a",
  url: `${node.url}/${UPSTREAM_SECRET}`,
  ...over,
});

/** A port that is taken until `close`. */
async function takenPort(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

describe("accounts and keys while a gateway runs", () => {
  let workplace: Workplace;
  let gateway: Started;
  beforeAll(async () => {
    workplace = await openWorkplace(config([upstream()]));
    gateway = await workplace.start();
  });
  afterAll(() => workplace.clear());

  const call = (key: string) =>
    fetch(`${gateway.origin}/node/v3/${key}`, { method: "POST", body: Buffer.from(CALL) });

  test("a new key works at once, and a revoked one is refused within 1 s, everywhere", async () => {
    expect(await workplace.json("accounts", "list")).toEqual([]);
    const account = await workplace.json(
      "accounts",
      "create",
      "ada@example.com",
      "--plan",
      "growth",
    );
    expect(account).toMatchObject({ email: "ada@example.com", plan: "growth" });
    expect(await workplace.json("accounts", "list")).toEqual([account]);
    const named = ["--account", "ada@example.com", "--name", "laptop"];
    const made = (await workplace.json("keys", "create", ...named)) as { id: string; key: string };
    expect(made).toEqual({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^tg_/),
    });
    expect(await (await call(made.key)).json()).toEqual({ jsonrpc: "2.0", id: 1, result: "0x1" });

    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/node/ws/v3/${made.key}`);
    const closed = once(socket, "close");
    await once(socket, "open");

    expect(await workplace.json("keys", "revoke", made.id)).toMatchObject({ id: made.id });
    const revoked = performance.now();
    await expect.poll(async () => (await call(made.key)).status, { interval: 20 }).toBe(401);
    expect(performance.now() - revoked).toBeLessThan(1000);
    expect((await closed)[0]).toBe(4401);
    expect(await workplace.json("keys", "list")).toEqual([
      expect.objectContaining({ id: made.id, name: "laptop", revoked: expect.any(String) }),
    ]);
    expect((await workplace.everythingWritten()).split(made.key)).toHaveLength(2);
  });

  test("without --json they print for people", async () => {
    const created = await workplace.run("accounts", "create", "eve@example.com", "--plan", "free");
    expect(created).toMatchObject({ code: 0, stderr: "" });
    expect(created.stdout).toMatch(/^account acc_\w+ of eve@example\.com on plan free\n$/);
    const named = ["--account", "eve@example.com", "--name", "phone", "--expires", "2999-12-31"];
    const made = await workplace.run("keys", "create", ...named);
    const [, id = ""] = /^key (key_\w+) \(phone\) of eve@example\.com/.exec(made.stdout) ?? [];
    const [key = ""] = /tg_\w+/.exec(made.stdout) ?? [];
    expect((await call(key)).status).toBe(200);
    expect((await workplace.run("accounts", "list")).stdout).toContain("eve@example.com");
    const listed = await workplace.run("keys", "list", "--account", "eve@example.com");
    expect(listed.stdout).toMatch(
      new RegExp(`${id} +eve@example\\.com +phone +tg_\\w{5}… +active`),
    );
    expect((await workplace.run("keys", "revoke", id)).stdout).toContain("is revoked");
    expect((await workplace.everythingWritten()).split(key)).toHaveLength(2);
  });

  test.each([
    ["accounts create twice", ["accounts", "create", "EVE@example.com", "--plan", "free"]],
    ["accounts create on no plan", ["accounts", "create", "x@example.com", "--plan", "gold"]],
    ["keys create for nobody", ["keys", "create", "--account", "no@x.org", "--name", "a"]],
    ["keys revoke of no key", ["keys", "revoke", "key_unknown"]],
  ])("%s: exit code 1, and one line that says why", async (_name, args) => {
    const { code, stdout, stderr } = await workplace.run(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^tollgate: [^\n]+\n$/);
  });

  describe("the admin port", () => {
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`${gateway.admin}${path}`, init);
      return { status: response.status, text: await response.text() };
    };

    test("says that the process lives and can serve", async () => {
      expect(await ask("/healthz")).toEqual({ status: 200, text: '{"ok":true}' });
      expect(await ask("/readyz")).toEqual({ status: 200, text: '{"ready":true,"obstacles":[]}' });
    });

    test("shows the metrics that the design names, without a key or a URL", async () => {
      const named = ["--account", "ada@example.com", "--name", "metrics"];
      const { key } = (await workplace.json("keys", "create", ...named)) as { key: string };
      await call(key);
      await fetch(`${gateway.origin}/node/v3/${key}`, {
        method: "POST",
        body: Buffer.from(
          '[{"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["0x00000000000000000000000000000000000000aa","latest"]},{"jsonrpc":"2.0","id":2,"method":"nobody_knows"}]',
        ),
      });
      const { status, text } = await ask("/metrics");
      expect(status).toBe(200);
      for (const line of [
        'tollgate_calls_total{network="node",method="eth_chainId",outcome="ok"}',
        'tollgate_calls_total{network="node",method="other",outcome="method_not_found"} 1',
        'tollgate_call_duration_seconds_count{network="node",method="eth_chainId"}',
        'tollgate_upstream_calls_total{network="node",upstream="geth-a",outcome="ok"}',
        "nodejs_eventloop_lag_seconds",
      ]) {
        expect(text).toContain(line);
      }
      expect(text).not.toMatch(/tg_|nobody_knows/);
      expect(text).not.toContain(UPSTREAM_SECRET);
    });

    test.each(["/healthz", "/readyz", "/metrics", "/networks", "/nothing"])(
      "refuses a page in a browser: %s",
      async (path) => {
        const { status } = await ask(path, { headers: { origin: "https://example.com" } });
        expect(status).toBe(403);
      },
    );

    test.each(["/healthz", "/readyz", "/metrics", "/networks"])(
      "refuses a Host that is not its own: %s",
      async (path) => {
        const statusAt = (host: string) =>
          new Promise((resolve, reject) => {
            const asked = get(`${gateway.admin}${path}`, { headers: { host } }, (response) => {
              response.resume();
              resolve(response.statusCode);
            });
            asked.on("error", reject);
          });
        expect(await statusAt("rebound.example:9545")).toBe(403);
        expect(await statusAt("localhost:9545")).toBe(200);
      },
    );

    test("has nothing else, and takes GET alone", async () => {
      expect((await ask("/")).status).toBe(404);
      expect((await ask("/node/v3/key")).status).toBe(404);
      expect((await ask("/metrics", { method: "POST" })).status).toBe(405);
    });
  });
});

describe("commands on a configuration file", () => {
  const workplaces: Workplace[] = [];
  afterEach(async () => {
    for (const workplace of workplaces.splice(0)) await workplace.clear();
  });
  const open = async (content: object): Promise<Workplace> => {
    const workplace = await openWorkplace(content);
    workplaces.push(workplace);
    return workplace;
  };

  test("check: a good file and its nodes", async () => {
    const workplace = await open(config([upstream()]));
    const { code, stdout, stderr } = await workplace.run("check");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("no faults in the file");
    expect(stdout).toMatch(/node +geth-a +primary +Stand-in\/v1 +1 +16 +0 .* ok\n/);
    expect(stdout).not.toMatch(new RegExp(`${UPSTREAM_SECRET}|://`));
  });

  test("check: a node that cannot be reached, and one of another chain: exit code 1", async () => {
    const { server, port } = await takenPort();
    server.close();
    const gone = upstream({ name: "gone", url: `http://127.0.0.1:${port}/${UPSTREAM_SECRET}` });
    const other = { name: "other", family: "evm", chainId: 5, upstreams: [upstream()] };
    const base = config([upstream(), gone]) as { networks: object[] };
    const workplace = await open({ ...base, networks: [...base.networks, other] });
    const { code, stdout, stderr } = await workplace.run("check");
    expect(code).toBe(1);
    expect(stdout).toMatch(/node +geth-a .*ok\n/);
    expect(stdout).toMatch(/node +gone .*cannot be reached: ECONNREFUSED\n/);
    expect(stdout).toMatch(/other +geth-a .*is of chain 1, the file says 5/);
    expect(stdout + stderr).not.toMatch(new RegExp(`${UPSTREAM_SECRET}|://|127\\.0\\.0\\.1`));
  });

  const BROKEN = {
    server: { port: 99_999, nonsense: true },
    admin: { port: 0 },
    networks: [
      {
        name: "node",
        family: "evm",
        chainId: -1,
        upstreams: [{ name: "a", url: `ftp://x/${UPSTREAM_SECRET}` }],
      },
    ],
  };
  test.each(["check", "start"])("%s: every fault of a broken file, with its path", async (name) => {
    const workplace = await open(BROKEN);
    const { code, stdout, stderr } = await workplace.run(name);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    for (const path of [
      "server.port",
      "server.nonsense",
      "networks[0].chainId",
      "networks[0].upstreams[0].url",
    ]) {
      expect(stderr).toMatch(
        new RegExp(`^  ${path.replace(/[[\].]/g, "\\$&")} \\(line \\d+\\): `, "m"),
      );
    }
    expect(stderr).not.toContain(UPSTREAM_SECRET);
    expect(stderr).not.toContain("    at ");
  });

  test("a file that no command names is ./tollgate.yaml", async () => {
    const cwd = temporaryFolder("file-here");
    await writeFile(join(cwd, "tollgate.yaml"), "networks: []\n");
    for (const command of [["check"], ["start"], ["accounts", "list"]]) {
      const { stderr } = await startTollgate(command, { cwd }).ended;
      expect(stderr).toMatch(/networks \(line 1\): /);
    }
  });

  test.each(["check", "start"])("%s: a file that does not exist", async (name) => {
    const { code, stderr } = await runTollgate([name, "--config", "/nowhere/tollgate.yaml"]);
    expect(code).toBe(1);
    expect(stderr).toContain("/nowhere/tollgate.yaml can't be read: there is no such file");
  });

  test.each(["server", "admin"])("start: the port of %s is taken: exit code 1", async (part) => {
    const { server, port } = await takenPort();
    const workplace = await open(config([upstream()], { [part]: { port } }));
    const { code, stderr } = await workplace.run("start");
    server.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^tollgate: [^\n]*EADDRINUSE[^\n]*\n$/);
    expect(stderr).toContain(String(port));
  });

  test.each(["start", "check"])("%s: a certificate that is none: exit code 1", async (name) => {
    const tls = { cert: "cert.pem", key: "key.pem" };
    const workplace = await open(config([upstream()], { server: { port: 0, tls } }));
    await writeFile(join(workplace.folder, "cert.pem"), "nothing");
    await writeFile(join(workplace.folder, "key.pem"), "nothing");
    const { code, stderr } = await workplace.run(name);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^tollgate: the configuration has a fault:\n {2}server\.tls: no certificate with its key[^\n]+\n$/,
    );
  });
});

test("schema prints the JSON Schema of the file", async () => {
  const { code, stdout } = await runTollgate(["schema"]);
  expect(code).toBe(0);
  const schema = JSON.parse(stdout);
  expect(schema).toMatchObject({ type: "object", required: ["networks"] });
  expect(Object.keys(schema.properties)).toContain("storage");
});

test.each([
  [["fly"], /unknown command 'fly'/],
  [["schema", "--nope"], /unknown option '--nope'/],
  [["start"], /[/]tollgate\.yaml can't be read: there is no such file; --config names another one/],
  [["check", "--confg", "x.yaml"], /unknown option '--confg'\n\(Did you mean --config\?\)/],
  [["accounts", "create", "--config", "x.yaml"], /missing required argument|required option/],
  [["keys", "fly"], /unknown command 'fly'/],
])("tollgate %j: exit code 1, and what is wrong", async (args, text) => {
  const { code, stdout, stderr } = await runTollgate(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(text);
});

test.each([["--help"], ["keys", "--help"], ["--version"]])("tollgate %s", async (...args) => {
  const { code, stdout, stderr } = await runTollgate(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(args[0] === "--version" ? /^\d+\.\d+\.\d+\n$/ : /^Usage: tollgate/);
});
