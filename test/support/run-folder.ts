import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { buildTestedProgram } from "./program.ts";

/** What stands in the folder of the run. */
export const PLACES = { folders: "folders", texts: "texts", keys: "keys.txt" } as const;

/** How test files, and processes that they start, find the folder of the run. */
export const RUN_FOLDER_VARIABLE = "TOLLGATE_TEST_RUN";

/** What the run's PostgreSQL server is, with its password: beside the folder, which is searched for secrets. */
export const postgresFile = (folder: string): string => `${folder}.postgres.json`;

/** Before all tests: the program is built, and one folder made for what they write, removed after the last of them. */
export function setup(): () => void {
  buildTestedProgram();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-run-"));
  for (const name of [PLACES.folders, PLACES.texts]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, PLACES.keys), "");
  // biome-ignore lint/style/noProcessEnv: what the processes of the run inherit.
  process.env[RUN_FOLDER_VARIABLE] = folder;
  return () => {
    stopPostgres(postgresFile(folder));
    rmSync(folder, { recursive: true, force: true });
  };
}

function stopPostgres(file: string): void {
  if (!existsSync(file)) return;
  const { pid, folder } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly pid: number;
    readonly folder: string;
  };
  // Its other processes end with the first.
  process.kill(pid, "SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  for (const end of ["", ".starting"]) rmSync(`${file}${end}`, { recursive: true, force: true });
}
