import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { startTestGateway, strangeKey, type TestGateway } from "../support/gateway.ts";
import { openRaw } from "../support/raw-connection.ts";
import { addKey } from "./add-key.ts";
import { type Answer, ask, INVALID_KEY, type Question, refusalOf } from "./ask.ts";

let gateway: TestGateway;
let good: string;
let accountId: string;

beforeAll(async () => {
  const upstreams = [{ name: "node", url: "http://127.0.0.1:9" }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
  good = `/net/v3/${gateway.key}`;
  accountId = (await gateway.storage.accounts.list())[0]?.id ?? "";
});
afterAll(() => gateway.stop());
afterEach(() => gateway.storage.accounts.update(accountId, { suspended: false }));

const send = (question: Question): Promise<Answer> => ask(gateway.port, question);
/** Asks until the status is there: a change in the store is seen within a second. */
const becomes = (target: string, status: number): Promise<Answer> =>
  vi.waitFor(
    async () => {
      const answer = await send({ target });
      expect(answer.status).toBe(status);
      return answer;
    },
    { timeout: 5000, interval: 20 },
  );
const TOO_LONG = { "Content-Length": String(5 * 1024 * 1024 + 1), "Content-Type": "text/plain" };

describe("of several faults the first in the order of the checks is answered", () => {
  const everything = { "Content-Encoding": "gzip", ...TOO_LONG };
  test.each<[string, number, () => Question]>([
    ["404 before OPTIONS", 404, () => ({ method: "OPTIONS", target: "/nope/v3/x" })],
    ["404 before 405", 404, () => ({ method: "GET", target: "/nope/v3/x" })],
    ["404 before 401", 404, () => ({ target: "/nope/v3/x", headers: everything })],
    ["OPTIONS before 401", 204, () => ({ method: "OPTIONS", target: "/net/v3/x" })],
    ["405 before 401", 405, () => ({ method: "PUT", target: "/net/v3/x" })],
    ["401 before 415 and 413", 401, () => ({ target: "/net/v3/x", headers: everything })],
    ["415 before 413", 415, () => ({ target: good, headers: TOO_LONG })],
    ["413 before the body", 413, () => ({ target: good, body: `{${" ".repeat(5_242_880)}` })],
  ])("%s", async (_name, status, question) => {
    const asked = question();
    if (asked.headers === undefined) expect((await send(asked)).status).toBe(status);
    else expect(await statusOfHead(asked)).toBe(status);
  });

  test("403 comes after 401 and before 415 and 413", async () => {
    await gateway.storage.accounts.update(accountId, { suspended: true });
    await becomes(good, 403);
    expect(await statusOfHead({ target: good, headers: everything })).toBe(403);
    expect((await send({ target: `/net/v3/${strangeKey()}` })).status).toBe(401);
    expect((await send({ method: "GET", target: good })).status).toBe(405);
  });
});

/** Sends the head alone, so that the answer depends on nothing else. */
async function statusOfHead({ method = "POST", target, headers = {} }: Question): Promise<number> {
  const raw = await openRaw(gateway.port);
  const lines = Object.entries({ Host: "a", Connection: "close", ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  raw.send(`${method} ${target} HTTP/1.1\r\n${head}\r\n`);
  await vi.waitFor(() => expect(raw.received()).toContain("\r\n\r\n"), { interval: 5 });
  raw.socket.destroy();
  return Number(raw.received().split(" ")[1]);
}

describe("a key that does not count is refused in one and the same answer", () => {
  test("missing, malformed, unknown, revoked and expired", async () => {
    const now = Date.now();
    const { key: revoked, id } = await addKey(gateway);
    const { key: expired } = await addKey(gateway, now + 60_000);
    await becomes(`/net/v3/${revoked}`, 200);
    await becomes(`/net/v3/${expired}`, 200);
    await gateway.storage.keys.revoke(id, now);
    vi.setSystemTime(now + 60_001);
    const answers = [await becomes(`/net/v3/${revoked}`, 401)];
    for (const key of ["", "malformed", strangeKey(), expired]) {
      answers.push(await send({ target: `/net/v3/${key}` }));
    }
    vi.useRealTimers();
    const alike = answers.map(({ status, text, headers }) => {
      const { "x-request-id": _id, date: _date, ...rest } = headers;
      return { status, text, rest };
    });
    expect(JSON.parse(alike[0]?.text ?? "")).toEqual(INVALID_KEY);
    for (const answer of alike) expect(answer).toEqual({ ...alike[0], status: 401 });
  });

  test("a suspended account is 403, and served again when it is resumed", async () => {
    await gateway.storage.accounts.update(accountId, { suspended: true });
    const { text } = await becomes(good, 403);
    const error = { code: 403, event: -33100, message: "Forbidden", details: "account suspended" };
    expect(JSON.parse(text)).toEqual({ jsonrpc: "2.0", id: null, error });
    await gateway.storage.accounts.update(accountId, { suspended: false });
    await becomes(good, 200);
  });
});

describe("other methods", () => {
  test.each(["GET", "PUT", "DELETE", "PATCH", "TRACE"])("%s is 405", async (method) => {
    const { status, headers, text } = await send({ method, target: good });
    expect(status).toBe(405);
    expect(headers.allow).toBe("POST, OPTIONS");
    expect(JSON.parse(text)).toEqual(refusalOf(405, "Method Not Allowed", "send calls by POST"));
  });

  test("HEAD is 405 without a body", async () => {
    const { status, headers, text } = await send({ method: "HEAD", target: good });
    expect({ status, allow: headers.allow, text }).toEqual({
      status: 405,
      allow: "POST, OPTIONS",
      text: "",
    });
  });
});
