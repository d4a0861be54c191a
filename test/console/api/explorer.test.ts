import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { EXPLORER_ANSWER_BYTES } from "../../../src/console/contract/constants.ts";
import type { ExplorerReply } from "../../../src/console/contract/explorer.ts";
import { createAuthority } from "../../support/certificates.ts";
import { startTestGateway } from "../../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../../support/stand-in-node.ts";
import { recordKey, temporaryFolder } from "../../support/written.ts";
import { openRig, type Person, type Rig, startServer, textOf } from "./support.ts";

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const ADDRESS = `0x${"1".repeat(40)}`;

type Scene = {
  readonly rig: Rig;
  readonly node: StandInNode;
  readonly person: Person;
  readonly url: string;
};

/** A gateway with one node, and the console beside it. */
async function scene(reply?: StandInNode["reply"], server?: object): Promise<Scene> {
  const node = await startStandInNode(reply ?? (() => ({ result: "0x5" })));
  ending.push(node.stop);
  const upstreams = [{ name: "node", url: node.url }];
  const networks = [{ name: "mainnet", family: "evm", chainId: 1, upstreams }];
  const gateway = await startTestGateway({ networks, ...(server && { server }) });
  ending.push(gateway.stop);
  const { storage, port } = gateway;
  const rig = await openRig({ storage, gateway: port, now: Date.now(), ...(server && { server }) });
  ending.push(rig.close);
  // The gateway knows the plans of its own configuration.
  const account = await rig.account("ada@example.com", { plan: "free" });
  return { rig, node, person: rig.person(account.email), url: `/api/accounts/${account.id}` };
}

const explore = async (
  { person, url }: Pick<Scene, "person" | "url">,
  call: object,
): Promise<ExplorerReply> => {
  const body = {
    network: "mainnet",
    method: "eth_getBalance",
    params: [ADDRESS, "latest"],
    ...call,
  };
  const reply = await person.post(`${url}/explorer`, body);
  expect(reply.statusCode, reply.body).toBe(200);
  return reply.json() as ExplorerReply;
};

const keysOf = async ({ person, url }: Pick<Scene, "person" | "url">) =>
  (await person.get(`${url}/keys`)).json().items as {
    id: string;
    name: string;
    state: string;
    expires: string;
  }[];

test("a call is shown whole: what was sent and came, its price, its block and its key", async () => {
  const { person, url, node } = await scene();
  const shown = await explore({ person, url }, {});
  expect(JSON.parse(shown.request)).toEqual({
    ...{ jsonrpc: "2.0", id: 1, method: "eth_getBalance", params: [ADDRESS, "latest"] },
  });
  expect(JSON.parse(shown.answer)).toEqual({ jsonrpc: "2.0", id: 1, result: "0x5" });
  expect(shown).toMatchObject({
    status: 200,
    cut: false,
    credits: 80,
    block: "16",
    servedBy: null,
  });
  expect(shown.ms).toBeGreaterThanOrEqual(0);
  expect(node.requests.map(({ method }) => method)).toEqual(["eth_getBalance"]);
  const refused = await explore({ person, url }, { method: "eth_nonsense", params: [] });
  expect(refused).toMatchObject({ status: 200, credits: 0, block: null });
  expect(JSON.parse(refused.answer).error.code).toBe(-32601);
});

test("one key of the account's own is made at the first call, good for a day, and used for all", async () => {
  const made = await scene();
  const [first, second] = await Promise.all([explore(made, {}), explore(made, {})]);
  expect(second.key).toBe(first.key);
  const keys = await keysOf(made);
  expect(keys).toMatchObject([{ id: first.key, name: "Explorer (dashboard)", state: "active" }]);
  const lasts = Date.parse(keys[0]?.expires ?? "") - made.rig.parts.clock.now();
  expect(lasts).toBe(86_400_000);
  made.rig.wait(86_400_000 - 30_000);
  const renewed = await explore(made, {});
  expect(renewed.key).not.toBe(first.key);
  expect((await keysOf(made)).map(({ state }) => state)).toEqual(["revoked", "active"]);
});

test("a key that somebody revokes is made anew, and one of a console that ended is revoked", async () => {
  const made = await scene();
  const first = await explore(made, {});
  await made.person.post(`${made.url}/keys/${first.key}/revoke`);
  // The gateway knows of it within a second.
  const second = await vi.waitFor(async () => {
    const shown = await explore(made, {});
    expect(shown.key).not.toBe(first.key);
    return shown;
  }, 3000);
  expect(second).toMatchObject({ status: 200, credits: 80 });
  const { storage, gatewayUrl } = made.rig.parts;
  const port = Number(new URL(gatewayUrl).port);
  const other = await openRig({ storage, gateway: port, now: Date.now() });
  ending.push(other.close);
  const third = await explore({ person: other.person("ada@example.com"), url: made.url }, {});
  const states = new Map((await keysOf(made)).map(({ id, state }) => [id, state]));
  expect([first, second, third].map(({ key }) => states.get(key))).toEqual([
    ...["revoked", "revoked", "active"],
  ]);
});

test("the explorer's key is no person's: it takes no place of the plan's keys, and cannot be rotated", async () => {
  const made = await scene();
  const { key } = await explore(made, {});
  for (let place = 0; place < 5; place += 1) {
    const reply = await made.person.post(`${made.url}/keys`, { name: `own ${place}` });
    expect(reply.statusCode).toBe(201);
    recordKey(reply.json().secret);
  }
  const sixth = await made.person.post(`${made.url}/keys`, { name: "one more" });
  expect([sixth.statusCode, sixth.json().error.code]).toEqual([409, "conflict"]);
  const rotated = await made.person.post(`${made.url}/keys/${key}/rotate`);
  expect(rotated.statusCode).toBe(409);
});

test("an answer is shown up to a MiB, and no key stands in what is shown, logged or audited", async () => {
  const made = await scene(() => ({ result: "x".repeat(2 * EXPLORER_ANSWER_BYTES) }));
  const shown = await explore(made, {});
  expect([shown.cut, shown.answer.length]).toEqual([true, EXPLORER_ANSWER_BYTES]);
  const audit = (await made.person.get(`${made.url}/audit`)).body;
  for (const text of [JSON.stringify(shown), audit, made.rig.log()])
    expect(text).not.toContain("tg_6");
  expect(JSON.parse(audit).items).toMatchObject([{ action: "key.create", target: shown.key }]);
});

describe("the gateway's port", () => {
  test("may speak TLS with a certificate for another host: it is known by the certificate itself", async () => {
    const folder = temporaryFolder("explorer");
    const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
    const issue = (): void => {
      const { cert, key } = createAuthority().issue();
      writeFileSync(files.cert, cert);
      writeFileSync(files.key, key);
    };
    issue();
    const made = await scene(undefined, { tls: files });
    expect(made.rig.parts.gatewayUrl).toMatch(/^https:/);
    expect(await explore(made, {})).toMatchObject({ status: 200, credits: 80 });
  });

  test("that is closed, or silent for too long, is told with what to do", async () => {
    const rig = await openRig({ gateway: 1 });
    ending.push(rig.close);
    const account = await rig.account("ada@example.com");
    const body = { network: "mainnet", method: "eth_chainId", params: [] };
    const reply = await rig
      .person(account.email)
      .post(`/api/accounts/${account.id}/explorer`, body);
    expect(reply.statusCode).toBe(503);
    expect(reply.json().error.message).toMatch(/^the gateway does not answer; see in its log/);
    expect(reply.body).not.toContain("tg_");
  });

  test("that ends in the middle of an answer is told as well", async () => {
    const gateway = await startServer((_, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("{");
      setImmediate(() => response.destroy());
    });
    ending.push(gateway.stop);
    const rig = await openRig({ gateway: gateway.port });
    ending.push(rig.close);
    const account = await rig.account("ada@example.com");
    const body = { network: "mainnet", method: "eth_chainId", params: [] };
    const reply = await rig
      .person(account.email)
      .post(`/api/accounts/${account.id}/explorer`, body);
    expect(reply.statusCode).toBe(503);
  });
});

test("a network that is not served is refused before anything is called or made", async () => {
  const rig = await openRig();
  ending.push(rig.close);
  const account = await rig.account("ada@example.com");
  const ada = rig.person(account.email);
  const body = { network: "../admin", method: "eth_chainId", params: [] };
  const reply = await ada.post(`/api/accounts/${account.id}/explorer`, body);
  expect([reply.statusCode, reply.json().error.field]).toEqual([400, "body.network"]);
  expect((await ada.get(`/api/accounts/${account.id}/keys`)).json().items).toEqual([]);
});

/** A block of the stand-in node, by its hash. */
function blockOf(hash: string): object {
  const number = Number.parseInt(hash.slice(4), 16) - 1;
  const [parent, height] = [number, number].map((one) => one.toString(16));
  return {
    ...{ hash, number: `0x${height}`, parentHash: `0xa1${(parent ?? "").padStart(62, "0")}` },
    ...{ logsBloom: `0x${"0".repeat(512)}`, gasLimit: "0x1c9c380", timestamp: "0x65000000" },
  };
}

describe("a subscription", () => {
  const watched = async (method: string, params: unknown[]) => {
    const reply: StandInNode["reply"] = ({ method: asked, params: [hash] }) =>
      asked === "eth_getBlockByHash" ? { result: blockOf(String(hash)) } : { result: null };
    const made = await scene(reply);
    const origin = await made.rig.app.listen({ host: "127.0.0.1", port: 0 });
    const ends = new AbortController();
    ending.push(async () => ends.abort());
    const response = await fetch(`${origin}${made.url}/explorer/watch`, {
      method: "POST",
      headers: {
        ...{ cookie: made.person.cookie, "content-type": "application/json" },
        "sec-fetch-site": "same-origin",
      },
      body: JSON.stringify({ network: "mainnet", method, params }),
      signal: ends.signal,
    });
    const events = (async function* read() {
      for await (const chunk of textOf(response)) {
        for (const [, event, data = ""] of chunk.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)) {
          yield { event, data: JSON.parse(data) };
        }
      }
    })();
    const next = async () => (await events.next()).value;
    return { ...made, response, next, leave: () => ends.abort() };
  };

  test("is shown as it comes, and stands beside its key until the page is left", async () => {
    const { node, next, leave, person, url } = await watched("eth_subscribe", ["newHeads"]);
    const first = await next();
    expect(first?.event).toBe("message");
    const { result } = JSON.parse(first?.data.message);
    node.head += 1;
    const second = await next();
    expect(JSON.parse(second?.data.message)).toMatchObject({
      method: "eth_subscription",
      params: { subscription: result, result: { number: "0x11" } },
    });
    const open = async () => (await person.get(`${url}/keys`)).json().items[0].open;
    const within = { timeout: 8000, interval: 200 };
    const one = { sockets: 1, subscriptions: 1 };
    await vi.waitFor(async () => expect(await open()).toEqual(one), within);
    leave();
    const none = { sockets: 0, subscriptions: 0 };
    await vi.waitFor(async () => expect(await open()).toEqual(none), within);
  });

  test("that is refused says why", async () => {
    const { next } = await watched("eth_subscribe", ["nothing"]);
    const first = await next();
    expect(JSON.parse(first?.data.message).error.code).toBe(-32601);
  });
});
