import { randomBytes } from "node:crypto";
import { Argument, Command } from "commander";
import { ConfigError } from "../config/faults.ts";
import { ownVersion } from "../lib/own-files.ts";
import { StorageError } from "../storage/store.ts";
import { redactKeys } from "../telemetry/redact.ts";
import { describeStoreCommands } from "./accounts/store-commands.ts";
import { type CheckOptions, runCheck } from "./check/check.ts";
import { completionScript, SHELLS, type Shell } from "./completion.ts";
import { configOption } from "./config-option.ts";
import { type InitOptions, runInit } from "./init/init.ts";
import { describeLedgerCommands } from "./ledger/ledger.ts";
import { CommandError } from "./output.ts";
import { runSchema } from "./schema.ts";
import { type DevOptions, runDev } from "./serve/dev.ts";
import { runReload } from "./serve/reload.ts";
import { runStart } from "./serve/start.ts";
import { describeStorageCommands } from "./storage/storage.ts";

type ConfigOptions = { readonly config: string };

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Runs one command line; resolves to the exit code: 0, or 1 with a text on standard error. */
export async function run(argv: readonly string[]): Promise<number> {
  let code = 0;
  const program = describe((result) => {
    code = result;
  });
  try {
    await program.parseAsync([...argv]);
    return code;
  } catch (error) {
    process.stderr.write(`${redactKeys(explain(error))}\n`);
    return 1;
  }
}

/** The text for people; the stack only of an error that nobody foresaw. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const foreseen = [ConfigError, StorageError, CommandError].some((kind) => error instanceof kind);
  if (foreseen || "syscall" in error) return `tollgate: ${error.message}`;
  return `tollgate: ${error.stack ?? error.message}`;
}

/** The values of an option that may be given several times. */
const collect = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

function describe(exitWith: (code: number) => void): Command {
  const program = new Command("tollgate")
    .description("A gateway for blockchain nodes: API keys, credits, answers while nodes fail")
    .version(ownVersion());
  program
    .command("dev")
    .description("everything embedded: a local chain, a demo account and key, calls to paste")
    .option("--data <dir>", "keep the chain and the accounts in this folder")
    .option("--examples", "print more calls to paste")
    .action((options: DevOptions) => runDev(options, print));
  program
    .command("init")
    .description("write ./tollgate.yaml for your nodes, and try them")
    .option("--node <url>", "a node's address; once for each", collect)
    .option("--yes", "ask nothing")
    .action(async (options: InitOptions) =>
      exitWith(await runInit(options, { print, random: randomBytes })),
    );
  configOption(program.command("start"))
    .description("the gateway on real upstreams")
    .action(({ config }: ConfigOptions) => runStart(config));
  configOption(program.command("reload"))
    .description("have the running gateway read its file again; exit 1 where it is refused")
    .action(({ config }: ConfigOptions) => runReload(config, print));
  configOption(program.command("check"))
    .description("validate the file and try each upstream; exit 1 on any fault")
    .option("--json", "print JSON")
    .action(async (options: CheckOptions) => exitWith(await runCheck(options, print)));
  program
    .command("schema")
    .description("print the JSON Schema of the configuration file")
    .action(() => exitWith(runSchema(print)));
  program
    .command("completion")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .description("print a script that completes commands and options in a shell")
    .action((shell: Shell) => print(completionScript(program, shell)));
  describeStoreCommands(program, print);
  describeLedgerCommands(program, print);
  describeStorageCommands(program, print);
  return program;
}
