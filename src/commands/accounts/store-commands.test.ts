import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { record, temporaryFolder } from "../../../test/support/written.ts";
import { run } from "../program.ts";

// The gateway itself takes no part, and half a second to load.
vi.mock("../serve/dev.ts", () => ({ runDev: () => undefined }));
vi.mock("../serve/start.ts", () => ({ runStart: () => undefined }));

const folder = temporaryFolder("commands");
const config = join(folder, "tollgate.yaml");

beforeAll(() => {
  const networks = [
    { name: "mainnet", family: "evm", upstreams: [{ name: "node", url: "http://127.0.0.1:1" }] },
  ];
  writeFileSync(config, JSON.stringify({ storage: { url: "sqlite:./tollgate.db" }, networks }));
});
afterEach(() => void vi.restoreAllMocks());

/** One command line: its exit code and what it wrote. */
async function tollgate(...words: string[]) {
  const written = { out: "", err: "" };
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written.out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written.err += String(text);
    return true;
  });
  const code = await run(["node", "tollgate", ...words, "--config", config]);
  vi.restoreAllMocks();
  const command = `tollgate ${words.slice(0, 2).join(" ")}`;
  record("output", `${command}: stdout`)(written.out);
  record("output", `${command}: stderr`)(written.err);
  return { code, ...written };
}

async function json(...words: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await tollgate(...words, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.trimEnd().split("\n")).toHaveLength(1);
  return JSON.parse(out) as Record<string, unknown>;
}

describe("a command line", () => {
  const ada = "ada@example.com";

  test("of every command for accounts, keys and usage does what it says, in JSON too", async () => {
    const account = await json("accounts", "create", ada, "--plan", "custom", "--operator");
    expect(account).toMatchObject({ email: ada, plan: "custom", operator: true });
    expect(await json("accounts", "set-plan", ada, "free")).toMatchObject({ plan: "free" });
    const own = ["--daily", "5000", "--per-second", "100"];
    expect(await json("accounts", "limit", ada, ...own)).toMatchObject({
      limits: { creditsPerDay: 5000, creditsPerSecond: 100 },
    });
    expect(await json("accounts", "credit", ada, "50")).toMatchObject({ added: 50, limit: 5050 });
    expect(await json("accounts", "repair", ada)).toMatchObject({ limit: 5050, forgotten: [] });
    expect(await json("accounts", "suspend", ada)).toMatchObject({ suspended: true });
    expect(await json("accounts", "resume", ada)).toMatchObject({ suspended: false });
    expect(await json("accounts", "list")).toMatchObject([{ email: ada }]);

    const made = await json("keys", "create", "--account", ada, "--name", "web");
    const id = String(made["id"]);
    expect(await json("keys", "limit", id, "--per-second", "7")).toMatchObject({
      limits: { creditsPerDay: null, creditsPerSecond: 7 },
    });
    const entries = ["ip=10.0.0.0/8", "network=mainnet"];
    expect(await json("keys", "allow", id, ...entries)).toMatchObject({
      allow: { ip: ["10.0.0.0/8"], network: ["mainnet"] },
    });
    expect(await json("keys", "allow", id, "--remove", "ip=10.0.0.0/8")).toMatchObject({
      allow: { network: ["mainnet"] },
    });
    const rotated = await json("keys", "rotate", id, "--overlap", "2h");
    expect(rotated).toMatchObject({ key: expect.stringMatching(/^tg_6/), replaces: id });
    expect(await json("keys", "revoke", id)).toMatchObject({ id });
    expect(await json("keys", "list", "--account", ada)).toMatchObject([
      { id, revoked: expect.any(String) },
      { id: rotated["id"], limits: { creditsPerSecond: 7 }, allow: { network: ["mainnet"] } },
    ]);

    expect(await json("accounts", "show", ada)).toMatchObject({ keys: { all: 2, active: 1 } });
    const usage = await json("usage", "--account", ada);
    expect(Object.keys(usage)).toEqual([
      ...["account", "day", "limit", "used", "left", "resetSeconds", "calls"],
    ]);
    expect(usage).toMatchObject({ account: ada, limit: 5050, used: 0, left: 5050, calls: [] });
    expect(await json("accounts", "delete", ada)).toMatchObject({ deleted: true, keys: 2 });
    expect(await json("keys", "list")).toEqual([]);
  });

  test.each([
    [["accounts", "show", "eve@example.com"], "there is no account of"],
    [["accounts", "credit", "eve@example.com", "many"], "is no number of credits"],
    [["keys", "rotate", "key_x"], "there is no key"],
    [["keys", "allow", "key_x", "ip=1"], "there is no key"],
    [["usage", "--account", "eve@example.com"], "see: tollgate accounts list"],
  ])("%j ends with 1 and one line on standard error", async (words, text) => {
    const { code, out, err } = await tollgate(...words);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^tollgate: .*\n$/);
    expect(err).toContain(text);
  });
});
