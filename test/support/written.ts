/**
 * Keeps what Tollgate writes in any test until test/secrets/whole-run.test.ts has searched it: its
 * files stand in `temporaryFolder`s, everything else goes through `record` and `recordOutput`.
 */

import { randomUUID } from "node:crypto";
import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { PLACES, RUN_FOLDER_VARIABLE } from "./run-folder.ts";

/** What the texts of a run are: lines of logs, what a process printed, what clients were told. */
export type Kind = "log" | "output" | "answers";

/** @throws outside of a run of the tests */
export function runFolder(): string {
  // biome-ignore lint/style/noProcessEnv: set by run-folder.ts.
  const folder = process.env[RUN_FOLDER_VARIABLE];
  if (folder === undefined) throw new Error("not in a run of the tests");
  return folder;
}

/** A new folder. Nobody removes it before the end of the run, when its files have been searched. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(runFolder(), PLACES.folders, `${name}-`));
}

let origin = "a process of the tests";
/** The test file on whose behalf all that follows is recorded. */
export function recordFor(testFile: string): void {
  origin = testFile;
}

/** Takes the pieces of one text. `what` is told of it where it holds what it must not. */
export function record(kind: Kind, what: string): (piece: string | Buffer) => void {
  const file = join(runFolder(), PLACES.texts, `${kind}-${randomUUID()}.txt`);
  writeFileSync(file, `${what.replaceAll(/\s+/g, " ")} (${origin})\n`, { flag: "wx" });
  return (piece) => appendFileSync(file, piece);
}

/** A key that was made without any output to find it in: its pieces are searched for too. */
export function recordKey(key: string): void {
  appendFileSync(join(runFolder(), PLACES.keys), `${key}\n`);
}

const gatewayPorts = new Set<number>();
/** From now on, all that comes from the port are answers of a gateway. */
export function recordPort(port: number): void {
  gatewayPorts.add(port);
}
/** Once the gateway has ended: anybody may get the port next. */
export function forgetPort(port: number): void {
  gatewayPorts.delete(port);
}
export function isGatewayPort(port: number | undefined): boolean {
  return port !== undefined && gatewayPorts.has(port);
}

/** So that the metrics at a gateway's end are among what is searched, whatever its test asks. */
export async function readMetrics(adminPort: number | undefined, token = ""): Promise<void> {
  const asked = fetch(`http://127.0.0.1:${adminPort}/metrics`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(2000),
  });
  await asked.then((answer) => answer.text()).catch(() => undefined);
}

const PORTS =
  /"port":(\d+)[^\n]*"msg":"(?:serving|admin port)|^(?:HTTP|Admin) [^\n]*?127\.0\.0\.1:(\d+)/gm;

/** What a process prints, and the ports that it says it serves on. */
export function recordOutput(stream: Readable, what: string): void {
  const write = record("output", what);
  let end = "";
  stream.on("data", (piece: string | Buffer) => {
    write(piece);
    end = end.slice(-1000) + String(piece);
    for (const [, logged, printed] of end.matchAll(PORTS)) recordPort(Number(logged ?? printed));
  });
}
