import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeKey, openWorkplace, type Workplace } from "../support/started-gateway.ts";

/** Longer than a command takes to come to its write, shorter than it waits. */
const LOCKED_MS = 3000;

let workplace: Workplace;
beforeAll(async () => {
  workplace = await openWorkplace({
    storage: { url: "sqlite:./tollgate.db" },
    networks: [
      {
        ...{ name: "node", family: "evm", chainId: 1 },
        upstreams: [{ name: "a", url: "http://127.0.0.1:1" }],
      },
    ],
  });
  await makeKey(workplace);
});
afterAll(() => workplace.clear());

test("a command whose store another process writes to waits for it, and ends when it has done its work", async () => {
  const other = new DatabaseSync(join(workplace.folder, "tollgate.db"));
  other.exec("BEGIN IMMEDIATE");
  const change = workplace.json("accounts", "set-plan", "ada@example.com", "free");
  await new Promise((resolve) => setTimeout(resolve, LOCKED_MS));
  other.exec("ROLLBACK");
  other.close();
  expect(await change).toMatchObject({ email: "ada@example.com", plan: "free" });
});
