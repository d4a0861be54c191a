import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasTerminal, runOnTerminal } from "../support/on-terminal.ts";
import { makeCustomer, openWorkplace, type Workplace } from "../support/started-gateway.ts";

const EMAIL = "ada@example.com";

let workplace: Workplace;
let id: string;
beforeAll(async () => {
  const networks = [
    { name: "node", family: "evm", upstreams: [{ name: "a", url: "http://127.0.0.1:1" }] },
  ];
  workplace = await openWorkplace({ storage: { url: "sqlite:./tollgate.db" }, networks });
  await makeCustomer(workplace, { email: EMAIL, plan: "growth" });
  const [key] = (await workplace.json("keys", "list")) as { id: string }[];
  id = key?.id ?? "";
});
afterAll(() => workplace.clear());

const onTerminal = (args: readonly string[], ...answers: readonly string[]) =>
  runOnTerminal([...args, "--config", workplace.file], { answers, cwd: workplace.folder });

const keyStates = async () =>
  ((await workplace.json("keys", "list")) as { revoked: string | null }[]).map(
    ({ revoked }) => revoked !== null,
  );

describe.runIf(hasTerminal)("on a terminal", () => {
  test.each([
    ["no", "n\n"],
    ["nothing", "\n"],
    ["what is no answer", "yellow\n"],
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("%s: a key is not revoked", async (_name, typed) => {
    const { code, shown } = await onTerminal(["keys", "revoke", id], typed);
    expect(shown).toContain(`Revoke key ${id} (a) of ${EMAIL}? [y/N]`);
    expect({ code, shown }).toEqual({
      code: 1,
      shown: expect.stringContaining("nothing was changed"),
    });
    expect(await keyStates()).toEqual([false]);
  });

  test("no: an account is not deleted", async () => {
    const { code, shown } = await onTerminal(["accounts", "delete", EMAIL], "n\n");
    expect(shown).toMatch(/Delete account acc_\w+ of ada@example\.com and its 1 keys\?/);
    expect(code).toBe(1);
    expect(await keyStates()).toEqual([false]);
  });

  test("yes revokes the key; with --yes nothing is asked", async () => {
    const revoked = await onTerminal(["keys", "revoke", id], "y\n");
    expect(revoked).toMatchObject({ code: 0, shown: expect.stringContaining("is revoked") });
    expect(await keyStates()).toEqual([true]);
    const deleted = await onTerminal(["accounts", "delete", EMAIL, "--yes"]);
    expect(deleted).toMatchObject({ code: 0, shown: expect.not.stringContaining("[y/N]") });
    expect(await keyStates()).toEqual([]);
  });

  test("who is unknown is told before anything is asked", async () => {
    const { code, shown } = await onTerminal(["keys", "revoke", "key_unknown"]);
    expect({ code, asked: shown.includes("[y/N]") }).toEqual({ code: 1, asked: false });
  });
});

test("a script, which has no terminal, is not asked", async () => {
  const other = "eve@example.com";
  await makeCustomer(workplace, { email: other, plan: "growth" });
  expect(await workplace.run("accounts", "delete", other)).toMatchObject({ code: 0, stderr: "" });
});
