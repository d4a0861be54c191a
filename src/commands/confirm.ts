import { CommandError } from "./output.ts";
import { openTerminal } from "./terminal.ts";

export type ConfirmOptions = { readonly yes?: boolean };

/**
 * Asks on a terminal before something ends that nobody can bring back. Scripts, which have no terminal, and `--yes` are
 * not asked.
 * @throws CommandError for any answer but yes
 */
export async function confirm(question: string, { yes = false }: ConfirmOptions): Promise<void> {
  const terminal = yes ? undefined : openTerminal();
  if (terminal === undefined) return;
  const answer = (await terminal.ask(`${question} [y/N]`)) ?? "";
  terminal.close();
  if (!/^y(es)?$/i.test(answer)) throw new CommandError("nothing was changed");
}
