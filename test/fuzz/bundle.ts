import { readFileSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "vite";
import type { Mutation } from "../support/mutations.ts";
import { instrumenting } from "./instrument.ts";

const ROOT = path.join(import.meta.dirname, "../..");

/** The fuzzers; each is a file of `targets`, and of the corpus a folder. */
export const FUZZERS = [
  "plain-head",
  "websocket-frames",
  "node-response",
  "json-text",
  "block-file",
  "disk-record",
] as const;
export type Fuzzer = (typeof FUZZERS)[number];

/**
 * Joins a fuzzer and what it runs to one file of JavaScript that counts the branches it takes.
 */
export async function bundle(fuzzer: Fuzzer, folder: string, mutation?: Mutation): Promise<string> {
  const name = mutation === undefined ? fuzzer : `${fuzzer}-mutated`;
  await build({
    root: ROOT,
    configFile: false,
    publicDir: false,
    logLevel: "warn",
    ssr: { noExternal: true },
    plugins: [...(mutation === undefined ? [] : [mutating(mutation)]), instrumenting()],
    build: {
      ssr: true,
      target: "node24",
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        input: { [name]: path.join(import.meta.dirname, `targets/${fuzzer}.ts`) },
        output: { format: "cjs", entryFileNames: "[name].cjs", codeSplitting: false },
      },
    },
  });
  return path.join(folder, `${name}.cjs`);
}

function mutating({ file, from, to }: Mutation): Plugin {
  const mutated = path.join(ROOT, file);
  return {
    name: "mutation",
    enforce: "pre",
    load: (id) => (id === mutated ? readFileSync(id, "utf8").replace(from, () => to) : undefined),
  };
}
