import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Fuzzer } from "./bundle.ts";

const fileOf = (fuzzer: Fuzzer): string =>
  path.join(import.meta.dirname, "corpus", `${fuzzer}.jsonl`);

/** One JSON string a line, a character for each byte. */
export function readCorpus(fuzzer: Fuzzer): Buffer[] {
  const lines = readFileSync(fileOf(fuzzer), "utf8").trimEnd().split("\n");
  return lines.map((line) => Buffer.from(JSON.parse(line) as string, "latin1"));
}

export function writeCorpus(fuzzer: Fuzzer, inputs: readonly Buffer[]): void {
  const lines = inputs.map((input) => asLine(input)).sort();
  writeFileSync(fileOf(fuzzer), `${lines.join("\n")}\n`);
}

/** All of it is ASCII, so that every tool shows it. */
export function asLine(input: Buffer): string {
  const unit = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(input.toString("latin1")).replaceAll(/[\u007f-\u00ff]/g, unit);
}
