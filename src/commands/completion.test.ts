import { spawnSync } from "node:child_process";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { completionScript, SHELLS, type Shell } from "./completion.ts";

/** A program whose words stand for all: groups, options with and without a value, choices, an apostrophe. */
function program(): Command {
  const all = new Command("tollgate").version("1");
  all.command("start").description("it's the gateway").option("--config <file>", "the file");
  const keys = all.command("keys").description("API keys");
  keys.command("create").option("--name <name>", "what it is for").option("--json", "JSON");
  keys.command("list").option("--account <email>", "of this account");
  const accounts = all.command("accounts").description("who may call");
  accounts.command("create").option("--plan <plan>", "a plan");
  return all;
}

const isThere = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

/** What the shell offers after these words, of which the last is not ended. */
const OFFERED: Readonly<Record<Shell, (words: readonly string[]) => string>> = {
  bash: (words) => `
    COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")})
    COMP_CWORD=${words.length - 1}
    _tollgate
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Its own functions work only while somebody types.
  zsh: (words) => `
    words=(${words.map((word) => `"${word}"`).join(" ")})
    CURRENT=${words.length}
    _tollgate`,
  fish: (words) => `complete -C '${words.join(" ")}' | string split -f1 \\t; true`,
};
const ZSH_STUBS = `
  compdef() { : }
  _files() { : }
  compadd() { shift; print -l -- \${(M)@:#\${words[CURRENT]}*} }
`;

function offered(shell: Shell, ...words: string[]): string[] {
  const script = [
    shell === "zsh" ? ZSH_STUBS : "",
    completionScript(program(), shell),
    OFFERED[shell](["tollgate", ...words]),
  ].join("\n");
  // Without what the user's own files define.
  const plain = { bash: ["--norc"], zsh: ["-f"], fish: ["--no-config"] }[shell];
  const { status, stdout, stderr } = spawnSync(shell, [...plain, "-c", script]);
  expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: "" });
  return String(stdout).split("\n").filter(Boolean).sort();
}

describe.each(SHELLS.filter(isThere))("%s offers", (shell) => {
  test("the commands that begin with what was typed", () => {
    expect(offered(shell, "")).toEqual(expect.arrayContaining(["accounts", "keys", "start"]));
    expect(offered(shell, "k")).toEqual(["keys"]);
  });

  test("the commands of a group alone", () => {
    expect(offered(shell, "keys", "")).toEqual(expect.arrayContaining(["create", "list"]));
    expect(offered(shell, "keys", "c")).toEqual(["create"]);
    expect(offered(shell, "keys", "z")).toEqual([]);
  });

  test("the options of a command alone", () => {
    expect(offered(shell, "keys", "create", "--")).toEqual(["--json", "--name"]);
    expect(offered(shell, "accounts", "create", "--")).toEqual(["--plan"]);
    expect(offered(shell, "keys", "create", "--name", "a", "--j")).toEqual(["--json"]);
  });
});
