import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "./support/browser.ts";
import { PASSWORD, startTestConsole, type TestConsole } from "./support/test-console.ts";

let desk: TestConsole;
let ada: Browser;
let account: string;
beforeAll(async () => {
  desk = await startTestConsole();
  ada = await desk.signUp("ada@example.com");
  const me = (await ada.get("/api/me")).json as { accounts: { id: string }[] };
  account = me.accounts[0]?.id ?? "";
});
afterAll(() => desk.stop());

const EVIL = "https://evil.example";
/** Each changes something, with and without a session. */
const changes = () => [
  `/api/accounts/${account}/keys`,
  "/api/auth/sign-out",
  "/api/auth/update-user",
  "/api/auth/sign-in/email",
  "/api/auth/sign-up/email",
  "/api/auth/request-password-reset",
];

type Raw = { readonly status: number; readonly location: string | undefined };

/** A request as it is, with no header that the test does not name, and its path untouched. */
function raw(path: string, headers: Record<string, string>, body?: string): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const options = { host: "127.0.0.1", port: desk.port, path, method, headers };
    const asked = request(options, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, location: response.headers.location });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

async function rawPost(path: string, headers: Record<string, string>, body: string) {
  return (await raw(path, headers, body)).status;
}

describe("a request that changes something", () => {
  const json = { "content-type": "application/json" };
  const body = JSON.stringify({ name: "key", email: "ada@example.com", password: PASSWORD });

  test.each([
    ["another site's Origin", { origin: EVIL }],
    ["the Origin null, as of a sandboxed frame", { origin: "null" }],
    ["an Origin that begins like ours", { origin: "http://localhost.evil.example" }],
    [
      "another site's Origin, though it claims to be ours",
      { origin: EVIL, "sec-fetch-site": "same-origin" },
    ],
    ["no Origin, from another site", { "sec-fetch-site": "cross-site" }],
    ["no Origin, from a page of the same domain", { "sec-fetch-site": "same-site" }],
    ["nothing that tells where it is from", {}],
  ])("is refused with %s", async (_, headers: Record<string, string>) => {
    for (const path of changes()) {
      const status = await rawPost(path, { ...json, ...headers, cookie: ada.cookieHeader }, body);
      expect(status, path).toBe(403);
    }
    expect((await ada.get("/api/me")).status).toBe(200);
  });

  test("is taken from our own pages", async () => {
    const path = "/api/auth/update-user";
    const named = JSON.stringify({ name: "Ada" });
    const cookie = ada.cookieHeader;
    expect(await rawPost(path, { ...json, cookie, origin: desk.origin }, named)).toBe(200);
    const own = { "sec-fetch-site": "same-origin" };
    expect(await rawPost(path, { ...json, cookie, ...own }, named)).toBe(200);
  });

  test("is taken from a program that says what it is, and has no cookie of a person", async () => {
    const path = `/api/accounts/${account}/keys`;
    const program = { ...json, authorization: "Bearer tgt_none" };
    // It came to whoever reads tokens.
    expect(await rawPost(path, program, body)).toBe(401);
    expect(await rawPost(path, { ...program, origin: EVIL }, body)).toBe(401);
    expect(await rawPost(path, { ...program, cookie: ada.cookieHeader }, body)).toBe(403);
    expect(await rawPost(path, { ...program, "content-type": "text/plain" }, body)).toBe(415);
  });

  test.each([
    "application/x-www-form-urlencoded",
    "text/plain",
    "multipart/form-data; boundary=x",
    "",
  ])("is refused as %j, which a form of any site can send", async (type) => {
    const headers = {
      origin: desk.origin,
      cookie: ada.cookieHeader,
      ...(type !== "" && { "content-type": type }),
    };
    for (const path of changes()) expect(await rawPost(path, headers, body), path).toBe(415);
  });
});

describe("no link leads to another site", () => {
  const elsewhere = [
    EVIL,
    `${EVIL}/keys`,
    "//evil.example",
    "/\\evil.example",
    "/%5cevil.example",
    "http://localhost.evil.example",
    "http://localhost@evil.example",
    "javascript:alert(1)",
    "/\t/evil.example",
  ];

  test.each(elsewhere)("%j is refused where a mail is asked for", async (url) => {
    const ask = (path: string, over: object) =>
      desk.browser().post(path, { email: "x@example.com", name: "x", password: PASSWORD, ...over });
    const answers = await Promise.all([
      ask("/api/auth/sign-up/email", { callbackURL: url }),
      ask("/api/auth/sign-in/magic-link", { callbackURL: url }),
      ask("/api/auth/sign-in/magic-link", { errorCallbackURL: url }),
      ask("/api/auth/request-password-reset", { redirectTo: url }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  test.each(elsewhere)("%j is refused where the link is opened", async (url) => {
    const query = new URLSearchParams({ token: "none", callbackURL: url });
    const errors = new URLSearchParams({ token: "none", callbackURL: "/", errorCallbackURL: url });
    for (const path of [
      `verify-email?${query}`,
      `magic-link/verify?${query}`,
      `magic-link/verify?${errors}`,
    ]) {
      const { headers, status } = await desk.browser().get(`/api/auth/${path}`);
      expect(status, path).toBe(403);
      expect(headers.get("location")).toBeNull();
    }
  });

  test("nor does a page's address", async () => {
    const paths = ["//evil.example", "/\\evil.example", "//evil.example/..", "//evil.example/keys"];
    for (const path of paths) {
      const { status, location } = await raw(path, { host: new URL(desk.origin).host });
      expect([200, 404, 503], path).toContain(status);
      expect(location).toBeUndefined();
      const typed = await raw(path, { host: `127.0.0.1:${desk.port}` });
      expect(new URL(typed.location ?? "", desk.origin).origin).toBe(desk.origin);
    }
  });

  test("who typed 127.0.0.1 is sent to localhost, to which cookies and passkeys belong", async () => {
    const { status, location } = await raw("/keys?a=1", { host: `127.0.0.1:${desk.port}` });
    expect({ status, location }).toEqual({ status: 302, location: `${desk.origin}/keys?a=1` });
    const data = await raw("/api/config", { host: `127.0.0.1:${desk.port}` });
    expect(data).toEqual({ status: 200, location: undefined });
  });
});

describe("too many attempts", () => {
  const guess = (browser: Browser) =>
    browser.post("/api/auth/sign-in/email", { email: "ada@example.com", password: "wrong word" });

  test("are refused with 429 and when to come back", async () => {
    const eve = desk.browser();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) statuses.push((await guess(eve)).status);
    expect(statuses).toEqual([...Array<number>(5).fill(401), ...Array<number>(6).fill(429)]);
    const refused = await guess(eve);
    expect(refused.json).toMatchObject({ error: { code: "too_many" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("are counted by the connection's address where no proxy is trusted", async () => {
    const alone = await startTestConsole({ server: { trustProxy: [] } });
    try {
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 11; attempt += 1) {
        const eve = alone.browser();
        const forged = { "x-tollgate-client": eve.address, "x-real-ip": eve.address };
        const body = { email: "ada@example.com", password: "wrong word" };
        const answer = await eve.post("/api/auth/sign-in/email", body, { headers: forged });
        statuses.push(answer.status);
      }
      expect(statuses.at(-1)).toBe(429);
    } finally {
      await alone.stop();
    }
  });
});

describe("answers", () => {
  test("carry headers that keep other sites out, on pages, files, data and errors", async () => {
    for (const path of [
      "/",
      "/keys",
      "/api/config",
      "/api/nothing",
      "/api/auth/nothing",
      "/none.js",
    ]) {
      const { headers } = await desk.browser().get(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy, path).toContain("default-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(headers.get("strict-transport-security")).toBeNull();
      expect(headers.get("x-powered-by")).toBeNull();
      if (path.startsWith("/api/")) expect(headers.get("cache-control")).toBe("no-store");
    }
  });

  test("to what is wrong say what, and nothing of the program", async () => {
    const person = desk.browser();
    const wrong = [
      await person.get("/api/nothing"),
      await person.get("/api"),
      await person.get("/api/auth/ok"),
      await person.get("/api/auth/error?error=%3Cscript%3E"),
      await person.get("/api/auth/reference"),
      await person.post("/api/auth/sign-in/social", { provider: "github" }),
      await person.post("/api/auth/delete-user"),
      await person.post("/api/auth/sign-in/email", "{"),
      await person.post("/api/auth/sign-in/email", "[]"),
      await person.post("/api/auth/sign-in/email", { email: { $ne: "" }, password: 1 }),
      await person.post("/api/auth/sign-in/email", { email: "x".repeat(300_000), password: "y" }),
      await person.get(`/api/auth/verify-email?token=${"x".repeat(3000)}`),
    ];
    for (const { status, text, json } of wrong) {
      expect(status, text).toBeGreaterThanOrEqual(400);
      expect(status, text).toBeLessThan(500);
      expect(json, text).toMatchObject({ error: { message: expect.any(String) } });
      expect(text).not.toMatch(/node_modules|\.ts|at \w+ \(|SQLITE|better-auth/i);
    }
  });
});

describe("pages", () => {
  test("are one HTML file for every address, and never for the API's or a file's", async () => {
    const statusOf = async (path: string) => (await desk.browser().get(path)).status;
    const index = await statusOf("/");
    expect(await statusOf("/keys")).toBe(index);
    expect(await statusOf("/reset?token=abc")).toBe(index);
    for (const path of [
      "/api",
      "/api/x",
      "/assets/none.js",
      "/none.map",
      "/../package.json",
      "/%2e%2e/package.json",
      "/..%2fpackage.json",
    ]) {
      expect(await statusOf(path), path).toBe(404);
    }
  });
});
