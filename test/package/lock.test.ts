import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Entry = {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};
const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  readonly packages: Readonly<Record<string, Entry>>;
};
const entries = Object.entries(lock.packages).filter(([path, { link }]) => path !== "" && !link);

test("each package of the lock file, of whatever platform, has its hash, and none has an address", () => {
  expect(entries.length).toBeGreaterThan(200);
  expect(entries.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))).toEqual([]);
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test("each platform's package of another one is in the lock file", () => {
  const known = new Set(entries.map(([path]) => path.split("node_modules/").at(-1)));
  const wanted = entries.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
  expect(wanted.filter((name) => !known.has(name))).toEqual([]);
});
