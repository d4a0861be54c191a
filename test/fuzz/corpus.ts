import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { encode } from "../../src/jsonrpc/value.ts";
import type { Fuzzer } from "./bundle.ts";

const fileOf = (fuzzer: Fuzzer): string =>
  path.join(import.meta.dirname, "corpus", `${fuzzer}.jsonl`);

/** One JSON string a line, a character for each byte. */
export function readCorpus(fuzzer: Fuzzer): Buffer[] {
  const lines = readFileSync(fileOf(fuzzer), "utf8").trimEnd().split("\n");
  return lines.map((line) => Buffer.from(JSON.parse(line) as string, "latin1"));
}

export function writeCorpus(fuzzer: Fuzzer, inputs: readonly Buffer[]): void {
  const lines = inputs.map(asLine).sort();
  writeFileSync(fileOf(fuzzer), `${lines.join("\n")}\n`);
}

/** All of it is ASCII, so that every tool shows it. */
export const asLine = (input: Buffer): string => encode(input.toString("latin1"));
