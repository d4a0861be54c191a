import { existsSync } from "node:fs";
import { copyFile, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ask } from "../http/ask.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { runTollgate } from "../support/tollgate-process.ts";

/** Commands close the file after them, so that all of it stands in the one file. */
let workplace: Workplace;
let file: string;
let copy: string;
let known: string;
let unseen: string;

beforeAll(async () => {
  workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    storage: { url: "sqlite:./tollgate.db" },
    plans: { small: { dailyCredits: 30_000, creditsPerSecond: 1_000_000 } },
    networks: [
      {
        name: "net",
        family: "evm",
        chainId: 1,
        upstreams: [{ name: "node", url: "http://127.0.0.1:9" }],
      },
    ],
  });
  file = join(workplace.folder, "tollgate.db");
  copy = join(workplace.folder, "copy.db");
  await workplace.json("accounts", "create", "ada@example.com", "--plan", "small");
  known = await createKey("known");
  unseen = await createKey("unseen");
  await copyFile(file, copy);
});
afterAll(() => workplace?.clear());

async function createKey(name: string): Promise<string> {
  const named = ["--account", "ada@example.com", "--name", name];
  return ((await workplace.json("keys", "create", ...named)) as { key: string }).key;
}

/** Writes over the whole file, in its place, as a disk or a careless program does. */
async function overwrite(): Promise<void> {
  const { size } = await stat(file);
  const handle = await open(file, "r+");
  await handle.write(Buffer.alloc(size, 0xa5), 0, size, 0);
  await handle.close();
}

describe("a file that is overwritten while the gateway runs", () => {
  let gateway: Started;
  beforeAll(async () => {
    gateway = await workplace.start();
  });

  const call = (key: string) => ask(gateway.port, { target: `/net/v3/${key}` });
  const ready = async () => {
    const response = await fetch(`${gateway.admin}/readyz`);
    return { status: response.status, body: await response.json() };
  };
  const until = <Value>(look: () => Promise<Value>): Promise<Value> =>
    vi.waitFor(look, { timeout: 8000, interval: 20 });

  test("is told by 503, /readyz and the log, and is used again once a copy is in its place", async () => {
    expect((await call(known)).status).toBe(200);
    expect(await ready()).toEqual({ status: 200, body: { ready: true, obstacles: [] } });
    await overwrite();

    // Open leases are spent first.
    const refused = await until(async () => {
      const answer = await call(known);
      expect(answer.status).toBe(503);
      return answer;
    });
    expect(JSON.parse(refused.text).error).toEqual({
      code: -32603,
      message: "credits cannot be counted at the moment",
      details: "the call was not charged; try again",
    });
    const { text } = await until(async () => {
      const answer = await call(unseen);
      expect(answer.status).toBe(503);
      return answer;
    });
    expect(JSON.parse(text).error.message).toBe("API keys cannot be checked at the moment");
    await until(async () =>
      expect(await ready()).toEqual({
        status: 503,
        body: {
          ready: false,
          obstacles: expect.arrayContaining([
            "storage: accounts and keys cannot be read",
            "storage: credits cannot be counted",
          ]),
        },
      }),
    );
    expect((await fetch(`${gateway.admin}/healthz`)).status).toBe(200);
    const log = gateway.process.output();
    for (const store of ["keys", "the ledger"]) {
      expect(log).toMatch(new RegExp(`damaged: .*"msg":"the store of ${store} does not answer"`));
    }

    for (const beside of ["-wal", "-shm"]) {
      if (existsSync(file + beside)) await rm(file + beside);
    }
    await rm(file);
    await copyFile(copy, file);
    await until(async () => expect((await call(known)).status).toBe(200));
    expect((await call(unseen)).status).toBe(200);
    await until(async () => expect((await ready()).status).toBe(200));
    gateway.process.kill("SIGTERM");
    expect((await gateway.process.ended).code).toBe(0);
  });
});

describe("a file that is damaged before the start", () => {
  test.each([[["start"]], [["accounts", "list"]], [["keys", "list"]]])(
    "%j: exit code 1, one line that says what to do, and the file is left as it is",
    async (command) => {
      await overwrite();
      const before = await readFile(file);
      const args = [...command, "--config", workplace.file];
      const { code, stdout, stderr } = await runTollgate(args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toBe(
        `tollgate: the database ${file} is not a SQLite database, or is damaged: ` +
          "name another file, or restore it from a copy\n",
      );
      expect((await readFile(file)).equals(before)).toBe(true);
    },
  );
});
