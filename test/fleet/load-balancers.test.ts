import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type CountingNode, startCountingNode } from "../credits/calls.ts";
import { ROOT } from "../docs/blocks.ts";
import { ask } from "../http/ask.ts";
import { freePort } from "../support/free-port.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { untilListening } from "../support/until-listening.ts";
import { recordKey, temporaryFolder } from "../support/written.ts";

type Address = Pick<Started, "port" | "adminPort">;

/** An example of `examples/proxies` on this machine: another port, no certificate, the gateways of this test. */
type Balancer = {
  readonly name: string;
  /** Where Debian's package puts it; it is tested where it is installed. */
  readonly program: string;
  readonly example: string;
  readonly configuration: (example: string, at: Place) => string;
  readonly flags: (folder: string, file: string) => readonly string[];
  /** What it logs of each call; undefined where that is the system's. */
  readonly logged: RegExp | undefined;
};

type Place = {
  readonly port: number;
  readonly folder: string;
  /** Of the next gateway. */
  readonly next: () => Address;
};

const BALANCERS: readonly Balancer[] = [
  {
    ...{ name: "nginx", program: "/usr/sbin/nginx", example: "nginx.conf" },
    configuration: nginxConfiguration,
    flags: (folder, file) => ["-p", folder, "-c", file, "-e", "/dev/null"],
    logged: / POST 200 /g,
  },
  {
    ...{ name: "HAProxy", program: "/usr/sbin/haproxy", example: "haproxy.cfg" },
    configuration: (example, { port, next }) =>
      example
        .replace(/bind :443 ssl crt .*/, `bind 127.0.0.1:${port}`)
        .replaceAll(/10\.0\.0\.\d+:8545 check port 9545/g, () => {
          const gateway = next();
          return `127.0.0.1:${gateway.port} check port ${gateway.adminPort}`;
        }),
    flags: (_folder, file) => ["-db", "-f", file],
    logged: undefined,
  },
];
const KEYS = 16;
const CALLS = 5;
const CALL =
  '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x0000000000000000000000000000000000000001","latest"]}';

describe.each(BALANCERS)("gateways behind the $name of examples/proxies", (balancer) => {
  const { program, example, configuration, flags, logged } = balancer;
  const isThere = spawnSync(program, ["-v"]).status === 0;
  const machines: Workplace[] = [];
  const gateways: Started[] = [];
  const keys: string[] = [];
  let node: CountingNode;
  let running: ChildProcess | undefined;
  let port = 0;
  let folder = "";

  beforeAll(async () => {
    if (!isThere) return;
    node = await startCountingNode();
    const upstreams = [{ name: "node", url: node.url }];
    const storage = { url: `sqlite:${join(temporaryFolder("nginx"), "shared.db")}` };
    for (let number = 0; number < 2; number += 1) {
      const machine = await openWorkplace({
        server: { port: 0, trustProxy: ["127.0.0.1"] },
        ...{ admin: { port: 0 }, storage },
        networks: [{ name: "node", family: "evm", chainId: 1, upstreams }],
      });
      machines.push(machine);
      gateways.push(await machine.start());
    }
    const [first] = machines;
    if (first === undefined) throw new Error("two are made");
    await first.json("accounts", "create", "ada@example.com", "--plan", "growth");
    for (let number = 0; number < KEYS; number += 1) {
      const words = ["--account", "ada@example.com", "--name", `k${number}`];
      const { key } = (await first.json("keys", "create", ...words)) as { readonly key: string };
      recordKey(key);
      keys.push(key);
    }
    port = await freePort();
    folder = temporaryFolder("nginx-run");
    const file = join(folder, example);
    const text = readFileSync(join(ROOT, "examples/proxies", example), "utf8");
    let used = 0;
    const next = () => gateways[used++] ?? { port: 0, adminPort: 0 };
    writeFileSync(file, configuration(text, { port, folder, next }));
    expect(used).toBe(2);
    running = spawn(program, flags(folder, file), { stdio: "ignore" });
    await untilListening(port);
  });

  afterAll(async () => {
    running?.kill("SIGTERM");
    if (running?.exitCode === null) await once(running, "exit");
    await Promise.all(machines.map((machine) => machine.clear()));
    await node?.stop();
  });

  /** How many calls each gateway has served. */
  async function served(): Promise<number[]> {
    const pages = gateways.map(({ adminPort }) =>
      ask(adminPort, { method: "GET", target: "/metrics" }),
    );
    return (await Promise.all(pages)).map(({ text }) =>
      [...text.matchAll(/^tollgate_calls_total\{.*"eth_getBalance".*\} (\d+)$/gm)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      ),
    );
  }

  test.skipIf(!isThere)(
    "all calls of a key go to one gateway, over HTTP and WebSocket, and the keys to both",
    async () => {
      const all: number[] = [];
      for (const key of keys) {
        const before = await served();
        for (let number = 0; number < CALLS; number += 1) {
          const { status, text } = await ask(port, { target: `/node/v3/${key}`, body: CALL });
          expect(status, text).toBe(200);
        }
        expect(await overWebSocket(`ws://127.0.0.1:${port}/node/ws/v3/${key}`)).toContain("result");
        const after = await served();
        const added = after.map((count, place) => count - (before[place] ?? 0));
        expect(added.toSorted()).toEqual([0, CALLS + 1]);
        all.push(added.indexOf(CALLS + 1));
      }
      expect(new Set(all)).toEqual(new Set([0, 1]));
    },
  );

  test.runIf(isThere && logged !== undefined)(
    "its log has a line for each call, and no key",
    () => {
      const lines = readFileSync(join(folder, "access.log"), "utf8");
      expect(lines.match(logged ?? /(?!)/g)?.length).toBe(KEYS * CALLS);
      for (const key of keys) expect(lines).not.toContain(key);
    },
  );

  async function overWebSocket(url: string): Promise<string> {
    const socket = new WebSocket(url);
    await once(socket, "open");
    socket.send(CALL);
    const [message] = await once(socket, "message");
    socket.close();
    await once(socket, "close");
    return String(message);
  }
});

function nginxConfiguration(example: string, { port, folder, next }: Place): string {
  const own = example
    .replace(/listen 443 ssl;/, `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_certificate.*\n/gm, "")
    .replace("/var/log/nginx/tollgate.log", join(folder, "access.log"))
    .replaceAll(/server 10\.0\.0\.\d+:8545;/g, () => `server 127.0.0.1:${next().port};`);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join("\n");
  return `daemon off;\npid ${join(folder, "nginx.pid")};\nevents {}\nhttp {\n${paths}\n${own}}\n`;
}
