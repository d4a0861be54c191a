import type { Command } from "commander";
import { copyEnds, POSTGRES_DEFAULTS } from "../../config/storage.ts";
import { systemClock } from "../../lib/clock.ts";

type CopyOptions = {
  readonly from?: string;
  readonly to?: string;
  readonly schema: string;
  readonly json?: boolean;
};

/** `storage …`: the database that everything is kept in. */
export function describeStorageCommands(program: Command, print: (text: string) => void): void {
  program
    .command("storage")
    .description("the database that everything is kept in")
    .command("copy")
    .description("copy everything to another, empty store; goes on where it ended early")
    .option("--from <url>", "sqlite:PATH or postgres://…; or the variable TOLLGATE_FROM")
    .option("--to <url>", "sqlite:PATH or postgres://…; or the variable TOLLGATE_TO")
    .option("--schema <name>", "of PostgreSQL", POSTGRES_DEFAULTS.schema)
    .option("--json", "print JSON")
    .action(async ({ json = false, schema, ...ends }: CopyOptions) => {
      const progress = json ? () => undefined : print;
      const parts = { print: progress, now: systemClock.monotonic };
      // What it loads would take longer than a whole start of the gateway.
      const { copyCommand } = await import("./copy.ts");
      const result = await copyCommand({ ...copyEnds(ends), schema }, parts);
      print(json ? JSON.stringify(result.json) : result.text);
    });
}
