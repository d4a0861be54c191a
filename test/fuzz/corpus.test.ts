import { expect, test } from "vitest";
import { placesFor } from "../support/mutations.ts";
import { FUZZERS } from "./bundle.ts";
import { asLine, readCorpus } from "./corpus.ts";
import { messageOf, type Target } from "./engine.ts";
import { MUTATIONS } from "./mutations.ts";

test.each(FUZZERS)("%s finds no fault at the inputs of its corpus", async (fuzzer) => {
  const target = (await import(`./targets/${fuzzer}.ts`)) as Target;
  const faults: string[] = [];
  for (const input of readCorpus(fuzzer)) {
    try {
      target.fuzz(Buffer.from(input));
    } catch (error) {
      faults.push(`${messageOf(error)} at ${asLine(input)}`);
    }
  }
  expect(faults).toEqual([]);
});

test.each(MUTATIONS)("the code has one place for the fault: $name", async (mutation) => {
  expect(await placesFor(mutation)).toBe(1);
});
