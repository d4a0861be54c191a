import { createHash, type Hash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What is built of files is built again where their names or contents have changed; more may be added. */
export function hashFiles(root: string, patterns: readonly string[], exclude: string[] = []): Hash {
  const hash = createHash("sha256");
  for (const file of globSync(patterns, { cwd: root, exclude }).toSorted()) {
    hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash;
}
