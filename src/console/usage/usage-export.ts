import type { Storage } from "../../storage/store.ts";
import type { UsageRow } from "../../storage/usage-store.ts";
import type { ExportRow } from "../contract/usage.ts";
import type { Span } from "./usage-span.ts";
import { mean } from "./usage-table.ts";

const COLUMNS = [
  "at",
  "key",
  "keyName",
  "network",
  "method",
  "outcome",
  "calls",
  "credits",
  "bytes",
  "latencyMs",
] as const satisfies readonly (keyof ExportRow)[];

/** The steps that are read at a time: a month of a busy account is more than memory should hold. */
const PIECE_STEPS = 60;

type Source = {
  readonly storage: Pick<Storage, "keys" | "usage">;
  readonly accountId: string;
  readonly span: Span;
};

/** The rows of a span as lines of a table (RFC 4180). */
export async function* csvOf(source: Source): AsyncGenerator<string> {
  yield `${COLUMNS.join(",")}\r\n`;
  for await (const rows of pieces(source)) {
    yield rows.map((row) => `${COLUMNS.map((name) => cell(row[name])).join(",")}\r\n`).join("");
  }
}

/** The same rows as a list. */
export async function* jsonOf(source: Source): AsyncGenerator<string> {
  let before = "[\n";
  for await (const rows of pieces(source)) {
    yield before + rows.map((row) => JSON.stringify(row)).join(",\n");
    before = ",\n";
  }
  yield before === ",\n" ? "\n]\n" : "[]\n";
}

/** Pieces without rows are left out. */
async function* pieces({ storage, accountId, span }: Source): AsyncGenerator<ExportRow[]> {
  const { from, to, resolution } = span;
  const records = await storage.keys.list(accountId);
  const names = new Map(records.map(({ key }) => [key.id, key.name]));
  const pieceMs = PIECE_STEPS * UNIT_MS[resolution];
  for (let start = from; start < to; start += pieceMs) {
    const end = Math.min(start + pieceMs, to);
    const rows = await storage.usage.query({ accountId, resolution, from: start, to: end });
    if (rows.length > 0) yield rows.map((row) => exportRow(row, names));
  }
}

const UNIT_MS = Object.freeze({ minute: 60_000, hour: 3_600_000, day: 86_400_000 });

function exportRow(row: UsageRow, names: ReadonlyMap<string, string>): ExportRow {
  const { at, keyId, network, method, outcome, calls, credits, bytes, latencyMs } = row;
  return {
    at: new Date(at).toISOString(),
    key: keyId,
    keyName: names.get(keyId) ?? "",
    ...{ network, method, outcome, calls, credits, bytes },
    latencyMs: mean(latencyMs, calls),
  };
}

/** A value that spreadsheets take for a formula is shown as the text that it is (OWASP, CSV injection). */
function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
