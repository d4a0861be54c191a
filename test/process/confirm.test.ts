import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCustomer, openWorkplace, type Workplace } from "../support/started-gateway.ts";

const CLI = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));
const EMAIL = "ada@example.com";
/** It runs a command on a terminal of its own: of util-linux, where it takes `-c`. */
const hasTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

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

/** Runs a command on a terminal where somebody types `keys` once it asks. */
async function onTerminal(args: readonly string[], keys: string) {
  const words = [process.execPath, CLI, ...args, "--config", workplace.file];
  const command = words.map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], { stdio: "pipe" });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (text.includes("[y/N]") && child.stdin.writable) child.stdin.end(keys);
  });
  const [code] = await once(child, "close");
  return { code, text };
}

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
    const { code, text } = await onTerminal(["keys", "revoke", id], typed);
    expect(text).toContain(`Revoke key ${id} (a) of ${EMAIL}? [y/N]`);
    expect({ code, text }).toEqual({
      code: 1,
      text: expect.stringContaining("nothing was changed"),
    });
    expect(await keyStates()).toEqual([false]);
  });

  test("no: an account is not deleted", async () => {
    const { code, text } = await onTerminal(["accounts", "delete", EMAIL], "n\n");
    expect(text).toMatch(/Delete account acc_\w+ of ada@example\.com and its 1 keys\?/);
    expect(code).toBe(1);
    expect(await keyStates()).toEqual([false]);
  });

  test("yes revokes the key; with --yes nothing is asked", async () => {
    const revoked = await onTerminal(["keys", "revoke", id], "y\n");
    expect(revoked).toMatchObject({ code: 0, text: expect.stringContaining("is revoked") });
    expect(await keyStates()).toEqual([true]);
    const deleted = await onTerminal(["accounts", "delete", EMAIL, "--yes"], "");
    expect(deleted).toMatchObject({ code: 0, text: expect.not.stringContaining("[y/N]") });
    expect(await keyStates()).toEqual([]);
  });

  test("who is unknown is told before anything is asked", async () => {
    const { code, text } = await onTerminal(["keys", "revoke", "key_unknown"], "");
    expect({ code, asked: text.includes("[y/N]") }).toEqual({ code: 1, asked: false });
  });
});

test("a script, which has no terminal, is not asked", async () => {
  const other = "eve@example.com";
  await makeCustomer(workplace, { email: other, plan: "growth" });
  expect(await workplace.run("accounts", "delete", other)).toMatchObject({ code: 0, stderr: "" });
});
