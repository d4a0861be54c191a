import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const BUILD = fileURLToPath(new URL("../scripts/build.ts", import.meta.url));
const BUILT = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

/** Builds the program as the package has it, since that is what is measured: the file that Node runs. */
export function buildProgram(): string {
  const { status } = spawnSync(process.execPath, [BUILD], { stdio: "inherit" });
  if (status !== 0) throw new Error("the program cannot be built");
  return BUILT;
}
