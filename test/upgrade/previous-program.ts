import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TollgateOptions } from "../support/tollgate-process.ts";
import { temporaryFolder } from "../support/written.ts";

const own = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Made by `npm run keep-version`. */
const ARCHIVE = own("../fixtures/previous/tollgate.tgz");
const MODULES = own("../../node_modules");

/** To start the version before this one in place of the sources. */
export function previousProgram(): TollgateOptions {
  const folder = temporaryFolder("previous");
  const { status, stderr } = spawnSync("tar", ["-xzf", ARCHIVE, "-C", folder], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  symlinkSync(MODULES, join(folder, "node_modules"));
  const cli = join(folder, "dist", "cli.js");
  const isSource = (word: string) => word.endsWith("/src/cli.ts");
  return {
    command: ([file = "", ...args]) => [file, ...args.map((word) => (isSource(word) ? cli : word))],
  };
}
