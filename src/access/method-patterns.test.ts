import fc from "fast-check";
import { expect, test } from "vitest";
import { compileMethodPatterns, fitsMethod } from "./method-patterns.ts";

const letters = (alphabet: string) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 8 });

test("a pattern fits what the same pattern as a regular expression fits", () => {
  fc.assert(
    fc.property(letters("ab*"), letters("ab"), (pattern, method) => {
      const model = new RegExp(`^${pattern.replaceAll("*", ".*")}$`);
      expect(fitsMethod(compileMethodPatterns([pattern]), method)).toBe(model.test(method));
    }),
    { numRuns: 5000 },
  );
});

test("one fitting entry is enough", () => {
  const patterns = compileMethodPatterns(["eth_call", "eth_get*", "*_version"]);
  for (const method of ["eth_call", "eth_getLogs", "eth_get", "net_version"]) {
    expect(fitsMethod(patterns, method)).toBe(true);
  }
  for (const method of ["eth_callMany", "eth_Call", "xeth_getLogs", "net_versions", ""]) {
    expect(fitsMethod(patterns, method)).toBe(false);
  }
});

test("a method of many letters is refused in no time, however many stars a pattern has", () => {
  const patterns = compileMethodPatterns([`${"a*".repeat(49)}b`]);
  const begun = performance.now();
  expect(fitsMethod(patterns, "a".repeat(100_000))).toBe(false);
  expect(performance.now() - begun).toBeLessThan(100);
});

test("an entry that is no pattern fits nothing", () => {
  expect(fitsMethod(compileMethodPatterns(["eth call", "eth.call"]), "eth.call")).toBe(false);
});
