import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

/** Outermost first. A layer may import only layers after its own line, and its own folder. */
const LAYERS = [
  ["cli.ts"],
  ["commands"],
  ["workers"],
  ["app.ts"],
  ["dev"],
  ["gateway", "console"],
  ["access", "credits", "usage", "networks"],
  ["methods", "cache", "upstreams"],
  ["storage"],
  ["telemetry"],
  ["config"],
  ["jsonrpc"],
  ["lib"],
];
const part = (file: string): string => file.split("/")[0] ?? "";
const rank = (file: string): number => LAYERS.findIndex((layer) => layer.includes(part(file)));

for (const file of globSync("src/**/*.ts", { exclude: ["**/*.test.ts"] })) {
  test(`${file} imports downwards only`, () => {
    const source = readFileSync(file, "utf8");
    const from = relative("src", file);
    expect(rank(from), `${from} belongs to no layer`).toBeGreaterThanOrEqual(0);
    for (const [, specifier = ""] of source.matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)) {
      const to = relative("src", join(dirname(file), specifier));
      const sameFolder = part(to) === part(from) && from.includes("/");
      expect(sameFolder || rank(to) > rank(from), `${from} must not import ${to}`).toBe(true);
    }
  });
}
