import type { Command } from "commander";
import { importLedger } from "./ledger-import.ts";

type ImportOptions = {
  readonly from: string;
  readonly slots: string;
  readonly to: string;
  readonly json?: boolean;
};

/** `ledger …`: the files that a slot network can be served from. */
export function describeLedgerCommands(program: Command, print: (text: string) => void): void {
  program
    .command("ledger")
    .description("files that a slot network is served from")
    .command("import")
    .description("fill a ledger with blocks; what is there already is not fetched again")
    .requiredOption("--from <url|dir>", "an RPC node, or a folder of blocks as JSON files")
    .requiredOption("--slots <first-last>", "such as 432000-432999")
    .requiredOption("--to <dir>", "the ledger's folder")
    .option("--json", "print JSON")
    .action(async ({ json = false, ...request }: ImportOptions) => {
      const progress = json ? () => undefined : print;
      const { json: summary, text } = await importLedger(request, { print: progress });
      print(json ? JSON.stringify(summary) : text);
    });
}
