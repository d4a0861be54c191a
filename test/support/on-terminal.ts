import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { PROGRAM } from "./program.ts";

/** How each question ends. */
const QUESTION = /[:\]] $/;

/** Whether there is util-linux's `script`, which runs a command on a terminal of its own. */
export const hasTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

/** Runs the program on a terminal where somebody types an answer to each question, in turn. */
export async function runOnTerminal(
  args: readonly string[],
  { answers, cwd }: { readonly answers: readonly string[]; readonly cwd: string },
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const command = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, stdio: "pipe" });
  const left = [...answers];
  let written = "";
  let answeredLength = 0;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    written += chunk;
    const isAsked = QUESTION.test(stripVTControlCharacters(written.slice(answeredLength)));
    const answer = isAsked ? left.shift() : undefined;
    if (answer === undefined) return;
    answeredLength = written.length;
    child.stdin.write(answer);
  });
  const [code] = await once(child, "close");
  return { code, shown: stripVTControlCharacters(written).replaceAll("\r", "") };
}
