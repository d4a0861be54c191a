import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isPostgresUrl } from "../../config/storage.ts";
import { makeAuthTables } from "../../console/auth/auth.ts";
import { authFileOf } from "../../console/auth/sqlite-tables.ts";
import { systemClock } from "../../lib/clock.ts";
import { keepDatabasePrivate, OWN_FOLDER } from "../../lib/private-files.ts";
import { type CopyProgress, copyStorage } from "../../storage/copy/copy.ts";
import { postgresSide } from "../../storage/copy/postgres-side.ts";
import type { Side } from "../../storage/copy/side.ts";
import { sqliteSide } from "../../storage/copy/sqlite-side.ts";
import { COPIED_TABLES } from "../../storage/copy/tables.ts";
import { openMemory } from "../../storage/memory.ts";
import type { StorageSettings } from "../../storage/open.ts";
import { openDatabase as openPostgresDatabase } from "../../storage/postgres/client.ts";
import { openDatabase } from "../../storage/sqlite/database.ts";
import { createLog } from "../../telemetry/log.ts";
import { CommandError, count, type Output, table } from "../output.ts";

const BUSY_MS = 5000;
const EVERY_MS = 1000;
const BAR = 20;

export type CopyRequest = {
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Of PostgreSQL, at either end. */
  readonly schema: string;
};

type Parts = { readonly print: (text: string) => void; readonly now: () => number };

/**
 * `storage copy`: everything of one store to another, the dashboard's users included. Gateways and dashboards
 * of both must not run meanwhile.
 * @throws CommandError, StorageError
 */
export async function copyCommand(request: CopyRequest, parts: Parts): Promise<Output> {
  const from = settingsOf("--from", request.from, request.schema);
  const to = settingsOf("--to", request.to, request.schema);
  const [, file] = /^sqlite:(.*)$/s.exec(from.url) ?? [];
  if (file !== undefined && !existsSync(file))
    throw new CommandError("--from: there is no such file");
  const source = await openSide(from);
  try {
    const target = await openSide(to);
    try {
      const copied = await copyStorage({ from: source, to: target }, progressTo(parts));
      const rows = copied.map(({ table: name, rows: of }) => [name, count(of)]);
      const text = `${table(["table", "rows"], rows)}\nrows and sums are the same in both`;
      return { json: copied, text };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function settingsOf(option: string, url: string | undefined, schema: string): StorageSettings {
  const variable = option === "--from" ? "TOLLGATE_FROM" : "TOLLGATE_TO";
  if (url === undefined) throw new CommandError(`${option} is missing; or set ${variable}`);
  const [, path] = /^sqlite:(.+)$/s.exec(url) ?? [];
  if (path !== undefined) return { url: `sqlite:${resolve(path)}` };
  if (isPostgresUrl(url)) return { url, schema };
  throw new CommandError(
    `${option} is no store; write it as sqlite:PATH or postgres://USER@HOST/DATABASE`,
  );
}

async function openSide(settings: StorageSettings): Promise<Side> {
  const side = await opened(settings);
  const users = COPIED_TABLES.find(({ isOfUsers }) => isOfUsers);
  // A store without a dashboard has none; a copy begun before has them.
  if (users !== undefined && (await side.columns(users)).length > 0) return side;
  await side.close();
  const log = createLog({ level: "error", terminal: false });
  const tools = { mailer: undefined, log, clock: systemClock, random: randomBytes };
  await makeAuthTables(settings, { storage: openMemory(), ...tools });
  return opened(settings);
}

async function opened(settings: StorageSettings): Promise<Side> {
  if (isPostgresUrl(settings.url)) {
    return postgresSide(await openPostgresDatabase(settings, { takesUnfinished: true }));
  }
  const path = settings.url.slice("sqlite:".length);
  mkdirSync(dirname(path), { recursive: true, mode: OWN_FOLDER });
  keepDatabasePrivate(path);
  // Made, or brought up to this program's schema.
  openDatabase({ path, busyTimeoutMs: BUSY_MS, takesUnfinished: true }).close();
  return sqliteSide(path, authFileOf(settings.url) ?? "");
}

/** A line a second. */
function progressTo({ print, now }: Parts): (progress: CopyProgress) => void {
  let printedMs = Number.NEGATIVE_INFINITY;
  return ({ table: name, rows, ofRows }) => {
    const isLast = rows === ofRows;
    if (now() - printedMs < EVERY_MS && !isLast) return;
    printedMs = now();
    const share = ofRows === 0 ? 1 : rows / ofRows;
    const bar = "#".repeat(Math.round(share * BAR)).padEnd(BAR, "-");
    const percent = String(Math.floor(share * 100)).padStart(3);
    print(`[${bar}] ${percent} %  ${count(rows)} of ${count(ofRows)} rows, ${name}`);
  };
}
