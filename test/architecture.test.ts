import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

/**
 * The numbered list of CONTRIBUTING.md, outermost first. Each line names a layer: one or more folders or
 * files of `src/`, in backticks. A layer may import only layers after its own line, and its own folder.
 */
const LAYERS = [...readFileSync("CONTRIBUTING.md", "utf8").matchAll(/^\d+\. (`.+)$/gm)].map(
  ([, line = ""]) =>
    [...line.matchAll(/`([\w-]+)(?:\/|(\.ts))`/g)].map(([, name, ts = ""]) => `${name}${ts}`),
);
const part = (file: string): string => file.split("/")[0] ?? "";
const rank = (file: string): number => LAYERS.findIndex((layer) => layer.includes(part(file)));

test("every folder and file of src stands once in the list of layers", () => {
  expect(LAYERS.flat().toSorted()).toEqual(readdirSync("src").toSorted());
});

for (const file of globSync("src/**/*.ts", { exclude: ["**/*.test.ts"] })) {
  test(`${file} imports downwards only`, () => {
    const source = readFileSync(file, "utf8");
    const from = relative("src", file);
    for (const [, specifier = ""] of source.matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)) {
      const to = relative("src", join(dirname(file), specifier));
      const sameFolder = part(to) === part(from) && from.includes("/");
      expect(sameFolder || rank(to) > rank(from), `${from} must not import ${to}`).toBe(true);
    }
  });
}
