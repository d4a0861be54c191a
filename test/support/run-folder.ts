import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** What stands in the folder of the run. */
export const PLACES = { folders: "folders", texts: "texts", keys: "keys.txt" } as const;

/** How test files, and processes that they start, find the folder of the run. */
export const RUN_FOLDER_VARIABLE = "TOLLGATE_TEST_RUN";

/** Before all tests: one folder for what they write; removed after the last of them. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-run-"));
  for (const name of [PLACES.folders, PLACES.texts]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, PLACES.keys), "");
  // biome-ignore lint/style/noProcessEnv: what the processes of the run inherit.
  process.env[RUN_FOLDER_VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
