import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Answer, ask } from "../http/ask.ts";
import { strangeKey } from "../support/gateway.ts";
import { type NodeReply, type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { runTollgate } from "../support/tollgate-process.ts";
import { UPSTREAM_SECRET } from "../support/upstream-secret.ts";
import { connect, refused } from "../websocket/client.ts";

/** Everything that must not be read anywhere; `%` and `!` make the encoded form another one. */
const UPSTREAM = {
  path: `pathkey-${UPSTREAM_SECRET}`,
  user: `user-${UPSTREAM_SECRET}`,
  password: `pass%!${UPSTREAM_SECRET}`,
  query: `querytoken-${UPSTREAM_SECRET}`,
  header: `headertoken-${UPSTREAM_SECRET}`,
} as const;
const PEPPER = "pepper-4be81d09f6a3";
const BASIC = Buffer.from(`${UPSTREAM.user}:${UPSTREAM.password}`).toString("base64");
const SECRETS = [
  ...Object.values(UPSTREAM),
  PEPPER,
  BASIC,
  encodeURIComponent(UPSTREAM.password),
  // Of the URL, what a redaction of the secrets alone would leave.
  "/rpc/",
] as const;

const A = `"0x${"a".repeat(40)}"`;
const call = (method: string, params = "[]", id = "1"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`;

/** As a configuration file names it. */
const variable = (name: string): string => `$\{${name}}`;

let node: StandInNode;
let upstreamUrl: string;
let workplace: Workplace;
let gateway: Started;
/** Every answer that anybody got: head and body, of HTTP and WebSocket. */
const answers: string[] = [];
const keys: string[] = [];

beforeAll(async () => {
  vi.stubEnv("NODE_TOKEN", UPSTREAM.header);
  vi.stubEnv("PEPPER", PEPPER);
  node = await startStandInNode(({ method }) => TALKATIVE[method]?.() ?? { result: "0x10" });
  const { port } = new URL(node.url);
  upstreamUrl =
    `http://${UPSTREAM.user}:${encodeURIComponent(UPSTREAM.password)}@127.0.0.1:${port}` +
    `/rpc/${UPSTREAM.path}?token=${UPSTREAM.query}`;
  workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    storage: { url: "sqlite:./tollgate.db" },
    keys: { pepper: variable("PEPPER") },
    log: { level: "trace" },
    networks: [
      network("net", { url: upstreamUrl, headers: { "X-Api-Key": variable("NODE_TOKEN") } }),
      network("dead", { url: `http://127.0.0.1:${await closedPort()}/${UPSTREAM.path}` }),
    ],
  });
  gateway = await workplace.start();
}, 60_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await workplace?.clear();
  await node?.stop();
});

const network = (name: string, upstream: object) => ({
  name,
  family: "evm",
  chainId: 1,
  timeoutMs: 300,
  upstreams: [{ name: "node", ...upstream }],
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A node whose failures repeat all that it was called with. */
const TALKATIVE: Readonly<Record<string, () => NodeReply>> = {
  eth_chainId: () => ({ result: "0x1" }),
  web3_clientVersion: () => ({ result: "Stand-in/v1" }),
  eth_getCode: () => failed(-32000, `POST ${upstreamUrl} failed`),
  eth_gasPrice: () => failed(-32000, `project id ${UPSTREAM.path} is not enabled`),
  eth_getTransactionCount: () => failed(-32005, `${UPSTREAM.query} has exceeded its quota`),
  eth_call: () => failed(-32015, `user ${UPSTREAM.user} with ${UPSTREAM.password} was refused`),
  eth_getLogs: () => ({
    error: { code: 3, message: `execution reverted: ${UPSTREAM.header}`, data: upstreamUrl },
  }),
  eth_getProof: () => failed(-32602, `Authorization: Basic ${BASIC}`),
  eth_feeHistory: () => page(200, `{"jsonrpc":"2.0","result":"${UPSTREAM.path}`),
  eth_blobBaseFee: () => page(401, `invalid project id ${UPSTREAM.path}\n`),
  eth_maxPriorityFeePerGas: () => page(502, `<html><title>${upstreamUrl}</title></html>`),
  eth_blockNumber: () => failed(-32000, `no head for ${UPSTREAM.path} at ${upstreamUrl}`),
  eth_estimateGas: () => failed(-32000, `no gas for ${UPSTREAM.path} at ${upstreamUrl}`),
  net_listening: () => "reset",
  eth_syncing: () => "hang",
};
/** What a node is asked by `check`, or for the gateway's own sake. */
const OF_THE_GATEWAY = ["eth_chainId", "web3_clientVersion", "eth_blockNumber"];
const failed = (code: number, message: string): NodeReply => ({ error: { code, message } });
const page = (status: number, body: string): NodeReply => ({ status, body });

/** The messages that make the node talk, and some that it answers. */
const MESSAGES: readonly string[] = [
  call("eth_chainId"),
  call("eth_getBalance", `[${A},"latest"]`),
  call("eth_getCode", `[${A},"latest"]`),
  call("eth_gasPrice"),
  call("eth_getTransactionCount", `[${A},"latest"]`),
  call("eth_call", `[{"to":${A}},"latest"]`),
  call("eth_getLogs", "[{}]"),
  call("eth_getProof", `[${A},[],"latest"]`),
  call("eth_feeHistory", '["0x1","latest",[]]'),
  call("eth_blobBaseFee"),
  call("eth_maxPriorityFeePerGas"),
  call("eth_blockNumber"),
  call("eth_estimateGas", `[{"to":${A}},"latest"]`),
  call("net_listening"),
  call("eth_syncing"),
  call("tollgate_usage"),
];

/** The key where a client may put it by mistake, in the body. */
const misplaced = (key: string): string[] => [
  call(key),
  call(`eth_${key}`),
  call("eth_getBalance", `["${key}","latest"]`),
  call("eth_getBalance", `[${A},"${key}"]`),
  call("eth_getStorageAt", `[${A},"${key}","latest"]`),
  call("eth_call", `[{"to":"${key}"},"latest"]`),
  call("eth_call", `[{"${key}":1},"latest"]`),
  call("eth_call", `[{"to":${A},"data":"${key}"},"latest"]`),
  call("eth_getLogs", `[{"${key}":"${key}"}]`),
  call("eth_getBlockByNumber", `["latest","${key}"]`),
  call("eth_getBlockByHash", `["${key}",false]`),
  `{"jsonrpc":"${key}","id":1,"method":"eth_chainId"}`,
  `{"${key}":1}`,
  key,
  `[${key}]`,
  `["${key}",{"method":"${key}"}]`,
];

async function send(target: string, body?: string, headers: Record<string, string> = {}) {
  return keep(await ask(gateway.port, { target, headers, ...(body !== undefined && { body }) }));
}

function keep(answer: Answer): Answer {
  answers.push(JSON.stringify(answer.headers), answer.text);
  return answer;
}

async function overWebSocket(key: string, messages: readonly string[]): Promise<void> {
  const client = await connect(`ws://127.0.0.1:${gateway.port}/net/ws/v3/${key}`);
  for (const message of messages) client.send(message);
  answers.push(...(await client.received(messages.length)));
  client.socket.close();
  await client.closed;
}

async function createKey(name: string): Promise<{ id: string; key: string }> {
  const named = ["--account", "ada@example.com", "--name", name];
  const made = (await workplace.json("keys", "create", ...named)) as { id: string; key: string };
  keys.push(made.key);
  return made;
}

/** Pieces of the text that nobody may know, in the order of the secrets; empty: none. */
function found(text: string): string[] {
  const pieces = keys.flatMap((key) => {
    const hidden = key.slice(8);
    return Array.from({ length: hidden.length - 11 }, (_, at) => hidden.slice(at, at + 12));
  });
  return [...SECRETS, ...pieces].filter((piece) => text.includes(piece));
}

describe("nothing that the program writes or answers holds a key or an upstream's secret", () => {
  let good: { id: string; key: string };
  let other: { id: string; key: string };

  beforeAll(async () => {
    await workplace.json("accounts", "create", "ada@example.com", "--plan", "team");
    good = await createKey("good");
    other = await createKey("other");
  });

  test("in answers to good calls, and to those that make a node tell all it knows", async () => {
    const path = `/net/v3/${good.key}`;
    for (const body of MESSAGES) {
      const { status } = await send(path, body);
      expect([200, 503]).toContain(status);
      await send(`/dead/v3/${good.key}`, body);
    }
    await send(path, `[${MESSAGES.join(",")}]`);
    await overWebSocket(good.key, MESSAGES);
    const asked = new Set(node.requests.map(({ method }) => method));
    expect(Object.keys(TALKATIVE).filter((method) => !asked.has(method))).toEqual(OF_THE_GATEWAY);
    const authorization = node.requests.map(({ headers }) => headers.authorization);
    expect(new Set(authorization)).toEqual(new Set([`Basic ${BASIC}`]));
    expect(node.requests[0]?.headers["x-api-key"]).toBe(UPSTREAM.header);
    expect(found(answers.join("\n"))).toEqual([]);
  });

  test("in answers to requests with a key in a wrong place", async () => {
    const { key } = good;
    for (const target of [
      `/${key}`,
      `/${key}/v3/net`,
      `/net/${key}`,
      `/net/v3/x/${key}`,
      `/net/v3/${key}/${key}`,
      `/net/v3/%74g_${key.slice(3)}`,
      `/net/v3?key=${key}`,
      `/net/ws/v3/${key}`,
      `/net/v3/${key.slice(0, 31)}`,
      `/v3/${key}`,
      `http://${key}/v3/${key}`,
    ]) {
      const { status } = await send(target);
      expect([401, 404]).toContain(status);
    }
    for (const body of misplaced(key)) await send(`/net/v3/${key}`, body);
    await overWebSocket(key, misplaced(key));
    for (const headers of [
      { "X-Request-Id": key },
      { "X-Request-Id": `request-${key}` },
      { Authorization: `Bearer ${key}`, Origin: key, "User-Agent": key, Cookie: key },
      { Host: key },
      { "X-Forwarded-For": key },
      { "Content-Type": key },
      { "Content-Encoding": key },
    ]) {
      await send(`/net/v3/${key}`, call("eth_gasPrice"), headers);
      await send("/net/v3/", call("eth_gasPrice"), headers);
    }
    for (const path of [`/${key}/ws/v3/x`, `/net/v3/x/${key}`, `/net/ws/v3/x/${key}`]) {
      const { status, headers, answer } = await refused(`ws://127.0.0.1:${gateway.port}${path}`);
      expect(status).toBe(404);
      answers.push(JSON.stringify(headers), JSON.stringify(answer));
    }
    expect(found(answers.join("\n"))).toEqual([]);
  });

  test("in answers to keys that are unknown, revoked, rotated or suspended", async () => {
    keys.push(strangeKey());
    await send(`/net/v3/${keys.at(-1)}`);
    const rotated = (await workplace.json("keys", "rotate", other.id, "--overlap", "1h")) as {
      id: string;
      key: string;
    };
    keys.push(rotated.key);
    for (const key of [other.key, rotated.key]) {
      expect((await send(`/net/v3/${key}`)).status).toBe(200);
    }
    await workplace.json("keys", "revoke", other.id);
    await vi.waitFor(async () => expect((await send(`/net/v3/${other.key}`)).status).toBe(401), {
      timeout: 5000,
      interval: 50,
    });
    await workplace.json("keys", "allow", rotated.id, "method=eth_call");
    await vi.waitFor(async () => expect((await send(`/net/v3/${rotated.key}`)).status).toBe(403), {
      timeout: 5000,
      interval: 50,
    });
    expect(found(answers.join("\n"))).toEqual([]);
  });

  test("in the admin port's pages", async () => {
    const pages = ["/metrics", "/healthz", "/readyz", `/${good.key}`].map(async (path) => {
      const response = await fetch(`${gateway.admin}${path}`);
      return `${JSON.stringify([...response.headers])}\n${await response.text()}`;
    });
    const text = (await Promise.all(pages)).join("\n");
    expect(text).toContain('tollgate_refusals_total{reason="unauthorized"}');
    expect(found(text)).toEqual([]);
  });

  test("in what commands print, also where they are given a key in an id's place", async () => {
    const asIds = [
      ["keys", "revoke", good.key],
      ["keys", "rotate", good.key],
      ["keys", "limit", good.key, "--daily", "5"],
      ["keys", "allow", good.key, "method=eth_call"],
      ["usage", "--account", good.key],
      ["accounts", "show", good.key],
      ["accounts", "create", good.key, "--plan", "free"],
      ["keys", "create", "--account", good.key, "--name", "x"],
      ["keys", "create", "--account", "ada@example.com", "--name", good.key],
    ];
    const listings = [
      ["keys", "list"],
      ["keys", "list", "--json"],
      ["accounts", "list", "--json"],
      ["usage", "--account", "ada@example.com"],
      ["usage", "--account", "ada@example.com", "--json"],
      ["check"],
    ];
    const run = (args: readonly string[]) => workplace.run(...args);
    const ended = await Promise.all([...asIds, ...listings].map(run));
    const printed = ended.slice(asIds.length);
    expect(ended.slice(0, asIds.length).map(({ code }) => code)).toEqual(asIds.map(() => 1));
    expect(printed.at(-1)?.stdout).toMatch(/net +node .*no head for/);
    expect(printed.at(-1)?.stdout).toMatch(/dead +node .*cannot be reached/);
    const text = ended.map(({ stdout, stderr }) => stdout + stderr).join("\n");
    expect(text).toContain("ada@example.com");
    expect(found(text)).toEqual([]);
  });

  test("in what a start says that fails", async () => {
    const { port } = new URL(gateway.origin);
    const broken = join(workplace.folder, "broken.yaml");
    const other = join(workplace.folder, "other.yaml");
    const upstream = `{ name: node, url: "${upstreamUrl}", headers: { X-Api-Key: "${UPSTREAM.header}" } }`;
    const head = `storage: { url: "sqlite:./other.db" }\nkeys: { pepper: "${PEPPER}" }\n`;
    const networks = `networks:\n  - { name: net, family: evm, upstreams: [${upstream}] }\n`;
    const texts: string[] = [];
    for (const content of [
      `${head}server: { port: ${port} }\n${networks}`,
      `${head}${networks}nonsense: "${upstreamUrl}"\n`,
      `${head}${networks.replace("http://", "gopher://")}`,
      `${head}${networks.replace('url: "', 'url: "${')}`,
      `${head}${networks}  ${upstreamUrl}: [`,
      `keys: "${PEPPER}"\n${networks.replace("name: node", `name: "${UPSTREAM.path} ${good.key}"`)}`,
    ]) {
      await writeFile(other, content);
      const { code, stdout, stderr } = await runTollgate(["start", "--config", other]);
      expect(code).toBe(1);
      texts.push(stdout, stderr);
    }
    await writeFile(join(workplace.folder, "other.db"), upstreamUrl.repeat(200));
    await writeFile(broken, `${head}${networks}`);
    for (const command of [["start"], ["keys", "list"]]) {
      const { code, stdout, stderr } = await runTollgate([...command, "--config", broken]);
      expect({ code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("is not a SQLite database"),
      });
      texts.push(stdout, stderr);
    }
    await rm(join(workplace.folder, "other.db"));
    expect(found(texts.join("\n"))).toEqual([]);
  });

  test("in all that was written by then, while it runs, after a kill and after a stop", async () => {
    await vi.waitFor(
      async () =>
        expect((await workplace.json("keys", "list")) as object[]).toContainEqual(
          expect.objectContaining({ id: good.id, lastUsed: expect.any(String) }),
        ),
      { timeout: 5000, interval: 50 },
    );
    await expectClean();
    gateway.process.kill("SIGKILL");
    await gateway.process.ended;
    await expectClean();
    gateway = await workplace.start();
    await send(`/net/v3/${good.key}`, call("eth_gasPrice"));
    gateway.process.kill("SIGTERM");
    expect((await gateway.process.ended).code).toBe(0);
    await expectClean();
  });

  /** A new key is shown once, on its command's own standard output. */
  async function expectClean(): Promise<void> {
    let text = await workplace.everythingWritten();
    expect(text).toContain('"msg":"a call failed"');
    expect(text).toContain("SQLite format 3");
    for (const key of keys) text = text.replace(key, "[shown]");
    expect(found(text)).toEqual([]);
  }
});
