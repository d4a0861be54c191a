import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openWorkplace, type Workplace } from "../support/started-gateway.ts";
import { SECRET } from "./support/test-console.ts";

let workplace: Workplace;
beforeAll(async () => {
  workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    console: { port: 0, signup: "closed", secret: SECRET },
    storage: { url: "sqlite:./data/tollgate.db" },
    cache: { disk: { path: "./cache", maxBytes: 10_000_000 } },
    networks: [
      {
        ...{ name: "node", family: "evm", chainId: 1 },
        upstreams: [{ name: "a", url: "http://127.0.0.1:1" }],
      },
    ],
  });
});
afterAll(() => workplace?.clear());

/** Path and mode of all that is there but the configuration. */
function modes(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return found
    .filter(({ name }) => !name.endsWith(".yaml"))
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => `${path.slice(folder.length)} ${(statSync(path).mode & 0o777).toString(8)}`);
}

test("whatever the program creates is its owner's alone, and what an older version left becomes so", async () => {
  await workplace.json("accounts", "create", "ada@example.com", "--plan", "free");
  const database = join(workplace.folder, "data/tollgate.db");
  chmodSync(database, 0o644);
  const { process } = await workplace.start();
  await process.says(/"msg":"dashboard serves"/);
  const all = modes(workplace.folder);
  const names = ["tollgate.db", "tollgate.db-wal", "tollgate.db-shm", "tollgate.console.db"];
  for (const name of names) expect(all).toContain(`/data/${name} 600`);
  expect(all.filter((each) => !/ [67]00$/.test(each))).toEqual([]);
});
