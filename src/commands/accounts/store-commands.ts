import type { Command } from "commander";
import { configOption } from "../config-option.ts";
import { type ConfirmOptions, confirm } from "../confirm.ts";
import type { Output } from "../output.ts";
import {
  creditAccount,
  deleteAccount,
  deletionQuestion,
  limitAccount,
  repairAccount,
  setPlan,
  setSuspended,
} from "./account-changes.ts";
import { createAccount, listAccounts, showAccount } from "./accounts.ts";
import { onStore, type StoreParts } from "./accounts-context.ts";
import { allowKey } from "./key-allow.ts";
import { limitKey, rotateKey } from "./key-changes.ts";
import { createKey, listKeys, revocationQuestion, revokeKey } from "./keys.ts";
import type { LimitRequest } from "./limits.ts";
import { showUsage } from "./usage.ts";

type StoreOptions = { readonly config: string; readonly json?: boolean };
type Print = (text: string) => void;

/** `accounts …`, `keys …` and `usage`. */
export function describeStoreCommands(program: Command, print: Print): void {
  const run = async (options: StoreOptions, command: (parts: StoreParts) => Promise<Output>) =>
    print(await onStore(options, command));
  const accounts = program.command("accounts").description("who may call, and on which plan");
  describeAccounts(accounts, run);
  describeAccountChanges(accounts, run);
  const keys = program.command("keys").description("API keys: each is shown once");
  describeKeys(keys, run);
  describeKeyChanges(keys, run);
  storeCommand(program, "usage", "the credits of today and what they went to")
    .requiredOption("--account <email>", "the account's owner")
    .action((options: StoreOptions & { account: string }) =>
      run(options, (parts) => showUsage(parts, options)),
    );
}

type Run = (
  options: StoreOptions,
  command: (parts: StoreParts) => Promise<Output>,
) => Promise<void>;

/** Every command on the store takes these two options. */
function storeCommand(parent: Command, usage: string, description: string): Command {
  return configOption(parent.command(usage))
    .description(description)
    .option("--json", "print JSON");
}

/** On a terminal it asks, because what it ends cannot be brought back. */
const askedBefore = (command: Command): Command => command.option("--yes", "do not ask");

function limitOptions(command: Command): Command {
  return command
    .option("--daily <credits>", "credits per UTC day")
    .option("--per-second <credits>", "credits per second");
}

function describeAccounts(accounts: Command, run: Run): void {
  storeCommand(accounts, "create <email>", "create an account")
    .requiredOption("--plan <plan>", "a plan of the configuration")
    .option("--operator", "may see all accounts and nodes")
    .action((email: string, options: StoreOptions & { plan: string; operator?: boolean }) => {
      const { plan, operator = false } = options;
      return run(options, (parts) => createAccount(parts, { email, plan, operator }));
    });
  storeCommand(accounts, "list", "list the accounts").action((options: StoreOptions) =>
    run(options, listAccounts),
  );
  storeCommand(accounts, "show <email>", "an account, its limits and its day").action(
    (email: string, options: StoreOptions) =>
      run(options, (parts) => showAccount(parts, { email })),
  );
  storeCommand(
    accounts,
    "link <email>",
    "a link that signs the owner in to the dashboard, once",
  ).action((email: string, options: StoreOptions) =>
    run(options, async (parts) => {
      // No other command needs what stands behind the dashboard: it takes long to load.
      const { linkAccount } = await import("./account-link.ts");
      return linkAccount(parts, { email });
    }),
  );
}

function describeAccountChanges(accounts: Command, run: Run): void {
  storeCommand(accounts, "set-plan <email> <plan>", "move an account to another plan").action(
    (email: string, plan: string, options: StoreOptions) =>
      run(options, (parts) => setPlan(parts, { email, plan })),
  );
  limitOptions(
    storeCommand(accounts, "limit <email>", "credits in place of the plan's; 0 for the plan's"),
  ).action((email: string, options: StoreOptions & LimitRequest) =>
    run(options, (parts) => limitAccount(parts, { ...options, email })),
  );
  storeCommand(accounts, "credit <email> <credits>", "add to the balance of today (UTC)").action(
    (email: string, credits: string, options: StoreOptions) =>
      run(options, (parts) => creditAccount(parts, { email, credits })),
  );
  storeCommand(accounts, "repair <email>", "forget the days that a wrong clock opened").action(
    (email: string, options: StoreOptions) =>
      run(options, (parts) => repairAccount(parts, { email })),
  );
  storeCommand(accounts, "suspend <email>", "refuse all its keys, until it is resumed").action(
    (email: string, options: StoreOptions) =>
      run(options, (parts) => setSuspended(parts, { email, suspended: true })),
  );
  storeCommand(accounts, "resume <email>", "end a suspension").action(
    (email: string, options: StoreOptions) =>
      run(options, (parts) => setSuspended(parts, { email, suspended: false })),
  );
  askedBefore(storeCommand(accounts, "delete <email>", "delete an account and its keys")).action(
    (email: string, options: StoreOptions & ConfirmOptions) =>
      run(options, async (parts) => {
        await confirm(await deletionQuestion(parts, email), options);
        return deleteAccount(parts, { email });
      }),
  );
}

function describeKeys(keys: Command, run: Run): void {
  storeCommand(keys, "create", "create a key; it is shown this once")
    .requiredOption("--account <email>", "the account's owner")
    .requiredOption("--name <name>", "what the key is for")
    .option("--expires <date>", "refused from this day on (UTC), such as 2026-12-31")
    .action((options: StoreOptions & { account: string; name: string; expires?: string }) =>
      run(options, (parts) => createKey(parts, options)),
    );
  storeCommand(keys, "list", "list keys, never the keys themselves")
    .option("--account <email>", "of this account alone")
    .action((options: StoreOptions & { account?: string }) =>
      run(options, (parts) => listKeys(parts, options)),
    );
  askedBefore(storeCommand(keys, "revoke <id>", "end a key")).action(
    (id: string, options: StoreOptions & ConfirmOptions) =>
      run(options, async (parts) => {
        await confirm(await revocationQuestion(parts, id), options);
        return revokeKey(parts, { id });
      }),
  );
}

function describeKeyChanges(keys: Command, run: Run): void {
  storeCommand(keys, "rotate <id>", "make another key in its place; it is shown this once")
    .option("--overlap <duration>", "how long the old key still works: 0s, 15m, 24h (default), 7d")
    .action((id: string, options: StoreOptions & { overlap?: string }) =>
      run(options, (parts) => rotateKey(parts, { id, overlap: options.overlap })),
    );
  limitOptions(
    storeCommand(keys, "limit <id>", "credits of the key's own; 0 for what the account has"),
  ).action((id: string, options: StoreOptions & LimitRequest) =>
    run(options, (parts) => limitKey(parts, { ...options, id })),
  );
  storeCommand(keys, "allow <id> [entries...]", "add KIND=VALUE to its allow-lists, or show them")
    .option("--remove", "take the entries out")
    .action((id: string, entries: string[], options: StoreOptions & { remove?: boolean }) =>
      run(options, (parts) => allowKey(parts, { id, entries, remove: options.remove ?? false })),
    );
}
