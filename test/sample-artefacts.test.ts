import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compileSampleContract } from "../scripts/build-sample-contract.ts";
import { signSamples } from "../scripts/sign-samples.ts";

const kept = (name: string) => readFileSync(join(import.meta.dirname, "../src/dev", name), "utf8");

test("the compiled contract is what the compiler makes of the source beside it", () => {
  expect(kept("sample-contract.json")).toBe(compileSampleContract());
});

test("the signatures are those of the contract's address and the public test accounts", async () => {
  expect(kept("sample-signatures.json")).toBe(await signSamples());
});
