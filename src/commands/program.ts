import { readFileSync } from "node:fs";
import { Command } from "commander";
import { ConfigError } from "../config/faults.ts";
import { StorageError } from "../storage/store.ts";
import { createAccount, listAccounts } from "./accounts.ts";
import { onStore } from "./accounts-context.ts";
import { runCheck } from "./check.ts";
import { runDev } from "./dev.ts";
import { createKey, listKeys, revokeKey } from "./keys.ts";
import { CommandError } from "./output.ts";
import { runSchema } from "./schema.ts";
import { runStart } from "./start.ts";

type StoreOptions = { readonly config: string; readonly json?: boolean };

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
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  }
}

/** What people are told; the stack only of what nobody foresaw. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const foreseen = [ConfigError, StorageError, CommandError].some((kind) => error instanceof kind);
  if (foreseen || "syscall" in error) return `tollgate: ${error.message}`;
  return `tollgate: ${error.stack ?? error.message}`;
}

function describe(exitWith: (code: number) => void): Command {
  const program = new Command("tollgate")
    .description("A gateway for blockchain nodes: API keys, credits, answers while nodes fail")
    .version(ownVersion());
  program
    .command("dev")
    .description("everything embedded: a local chain, a demo account and key, calls to paste")
    .option("--data <dir>", "keep the chain and the accounts in this folder")
    .action((options: { data?: string }) => runDev(options, print));
  program
    .command("start")
    .description("the gateway on real upstreams")
    .requiredOption("--config <file>", "the configuration, YAML")
    .action(({ config }: StoreOptions) => runStart(config));
  program
    .command("check")
    .description("validate the file and try each upstream; exit 1 on any fault")
    .requiredOption("--config <file>", "the configuration, YAML")
    .action(async ({ config }: StoreOptions) => exitWith(await runCheck(config, print)));
  program
    .command("schema")
    .description("print the JSON Schema of the configuration file")
    .action(() => exitWith(runSchema(print)));
  describeAccounts(program.command("accounts").description("who may call, and on which plan"));
  describeKeys(program.command("keys").description("API keys: each is shown once"));
  return program;
}

/** Read at run time: the package file stands outside of what is compiled. */
function ownVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/** Every command on the store takes these two. */
function storeCommand(parent: Command, usage: string, description: string): Command {
  return parent
    .command(usage)
    .description(description)
    .requiredOption("--config <file>", "the configuration, YAML")
    .option("--json", "print JSON");
}

function describeAccounts(accounts: Command): void {
  storeCommand(accounts, "create <email>", "create an account")
    .requiredOption("--plan <plan>", "a plan of the configuration")
    .option("--operator", "may see all accounts and nodes")
    .action(async (email: string, options: StoreOptions & { plan: string; operator?: boolean }) => {
      const { plan, operator = false } = options;
      print(await onStore(options, (parts) => createAccount(parts, { email, plan, operator })));
    });
  storeCommand(accounts, "list", "list the accounts").action(async (options: StoreOptions) => {
    print(await onStore(options, listAccounts));
  });
}

function describeKeys(keys: Command): void {
  storeCommand(keys, "create", "create a key; it is shown this once")
    .requiredOption("--account <email>", "the account's owner")
    .requiredOption("--name <name>", "what the key is for")
    .option("--expires <date>", "refused from this day on (UTC), such as 2026-12-31")
    .action(async (options: StoreOptions & { account: string; name: string; expires?: string }) => {
      print(await onStore(options, (parts) => createKey(parts, options)));
    });
  storeCommand(keys, "list", "list keys, never the keys themselves")
    .option("--account <email>", "of this account alone")
    .action(async (options: StoreOptions & { account?: string }) => {
      print(await onStore(options, (parts) => listKeys(parts, options)));
    });
  storeCommand(keys, "revoke <id>", "end a key").action(
    async (id: string, options: StoreOptions) => {
      print(await onStore(options, (parts) => revokeKey(parts, { id })));
    },
  );
}
