import { readFileSync } from "node:fs";
import { extname } from "node:path";

/** `src` in a checkout, `dist` in the published package: this file is in `lib` of both. */
const PROGRAM = new URL("../", import.meta.url);

/** A file or folder of the program, by its path in `src`. */
export function ownFile(path: string): URL {
  return new URL(path, PROGRAM);
}

/**
 * The file that a thread or process is started from, by its path in `src` without the extension: a checkout
 * runs the TypeScript as it is, the published package what was built of it.
 */
export function entryFile(path: string): URL {
  return ownFile(`${path}${extname(import.meta.url)}`);
}

/** Read at run time: the package file stands outside of what is built. */
export function ownVersion(): string {
  const file = ownFile("../package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
