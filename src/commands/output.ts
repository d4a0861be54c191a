/** The result of a command: `text` for people, `json` for `--json`. */
export type Output = { readonly json: unknown; readonly text: string };

/** The command was asked for something that cannot be: exit code 1, and this text for people. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** @throws CommandError where there is a fault */
export function refuse(fault: string | undefined): void {
  if (fault !== undefined) throw new CommandError(fault);
}

/** @throws CommandError where the text could not be read */
export function unwrap<Value>(read: { readonly value: Value } | { readonly fault: string }): Value {
  if ("fault" in read) throw new CommandError(read.fault);
  return read.value;
}

/** Rows under their headings, in columns as wide as they need to be. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => line.trimEnd())
    .join("\n");
}

/** `2026-11-21 12:40`, UTC. */
export function minute(timeMs: number | null): string {
  return timeMs === null ? "-" : new Date(timeMs).toISOString().slice(0, 16).replace("T", " ");
}

/** ISO 8601, as `--json` gives times. */
export function isoTime(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}

/** `3,000,000`. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** The end of the text of a change that running gateways follow. */
export const WITHIN_A_SECOND = "every running process follows within a second";
