import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { CommandError } from "./output.ts";

export type ConfirmOptions = { readonly yes?: boolean };

/**
 * Asks on a terminal before something ends that nobody can bring back. Scripts, which have no terminal, and `--yes` are
 * not asked. The question stands on standard error: standard output is the command's result.
 * @throws CommandError for any answer but yes
 */
export async function confirm(question: string, { yes = false }: ConfirmOptions): Promise<void> {
  if (yes || !process.stdin.isTTY || !process.stderr.isTTY) return;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D close it without an answer.
  const closed = once(lines, "close").then(() => "");
  const answered = lines.question(`${question} [y/N] `).catch(() => "");
  const answer = await Promise.race([answered, closed]);
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("nothing was changed");
}
