import { once } from "node:events";
import { createInterface } from "node:readline/promises";

/** Questions to whoever started the command. They stand on standard error: standard output is the command's result. */
export type Terminal = {
  /** One line, without the spaces around it; undefined where there is no more answer (Ctrl-C, Ctrl-D). */
  ask(question: string): Promise<string | undefined>;
  say(text: string): void;
  close(): void;
};

/** Undefined where nobody can be asked: in a script. */
export function openTerminal(): Terminal | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = once(lines, "close").then(() => undefined);
  return {
    ask: async (question) => {
      const answered = lines.question(`${question} `).catch(() => undefined);
      return (await Promise.race([answered, closed]))?.trim();
    },
    say: (text) => void process.stderr.write(`${text}\n`),
    close: () => lines.close(),
  };
}
