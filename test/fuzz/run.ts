/**
 * Looks for inputs that our own readers of bytes take in another way than those of Node and of the
 * libraries, or at which they throw or hang: `npm run fuzz -- --only json-text --seconds 3600`.
 * `--keep` adds the inputs that reached new branches to the corpus.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { bundle, FUZZERS, type Fuzzer } from "./bundle.ts";
import { asLine, readCorpus, writeCorpus } from "./corpus.ts";
import { fuzz } from "./fuzz.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: FUZZERS.join() },
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    keep: { type: "boolean", default: false },
  },
});
const names = values.only.split(",");
const unknown = names.find((name) => !(FUZZERS as readonly string[]).includes(name));
if (unknown !== undefined) {
  process.stderr.write(`there is no fuzzer "${unknown}"; there are ${FUZZERS.join(", ")}\n`);
  process.exit(2);
}
const limits = {
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  executions: Number.POSITIVE_INFINITY,
};
const folder = mkdtempSync(path.join(tmpdir(), "tollgate-fuzz-"));
const waiting = FUZZERS.filter((name) => names.includes(name));

async function run(name: Fuzzer): Promise<void> {
  const file = await bundle(name, folder);
  const corpus = readCorpus(name);
  const found = await fuzz(file, corpus, limits);
  const rate = Math.round(found.executions / found.seconds);
  process.stdout.write(
    `${name}: ${found.executions} executions in ${Math.round(found.seconds)} s (${rate} a second), ` +
      `seed ${limits.seed}, ${found.features} features, ${found.corpus.length} inputs\n`,
  );
  if (found.fault !== undefined) {
    process.exitCode = 1;
    process.stdout.write(
      `${name}: ${found.fault.message}\n  at ${asLine(Buffer.from(found.fault.input))}\n`,
    );
  } else if (values.keep) {
    const all = [...corpus, ...found.corpus.map((input) => Buffer.from(input))];
    const shortestFirst = all.sort((a, b) => a.length - b.length);
    const { corpus: kept } = await fuzz(file, shortestFirst, { ...limits, executions: 0 });
    writeCorpus(
      name,
      kept.map((input) => Buffer.from(input)),
    );
  }
}

const work = async () => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await run(name);
};
await Promise.all(Array.from({ length: availableParallelism() }, work));
rmSync(folder, { recursive: true, force: true });
