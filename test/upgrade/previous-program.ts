import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAM } from "../support/program.ts";
import type { TollgateOptions } from "../support/tollgate-process.ts";

const own = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Made by `npm run keep-version`. */
const ARCHIVE = own("../fixtures/previous/tollgate.tgz");
const MODULES = own("../../node_modules");

/** To start the version before this one in place of this one. */
export type PreviousProgram = { readonly options: TollgateOptions; readonly remove: () => void };

/** Not in the folder of the run, whose texts are searched for secrets: a program holds examples of them. */
export function previousProgram(): PreviousProgram {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-previous-"));
  const { status, stderr } = spawnSync("tar", ["-xzf", ARCHIVE, "-C", folder], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  symlinkSync(MODULES, join(folder, "node_modules"));
  const cli = join(folder, "dist", "cli.js");
  const command = ([file = "", ...args]: readonly string[]) =>
    [file, ...args.map((word) => (word === PROGRAM ? cli : word))] as const;
  return {
    options: { command },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
