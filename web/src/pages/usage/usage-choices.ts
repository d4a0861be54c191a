import type { UsageRow } from "../../../../src/console/contract/usage.ts";

/** What the numbers of the chart count. */
export const MEASURES = [
  { value: "calls", label: "Calls", unit: "calls" },
  { value: "credits", label: "Credits", unit: "credits" },
  { value: "failed", label: "Failed", unit: "failed calls" },
  { value: "latency", label: "Latency", unit: "latency" },
] as const;
export type Measure = (typeof MEASURES)[number]["value"];

/** A span of the person's own choice, between two times of the address. */
export const CUSTOM = "custom";

/** What each length of time is called in a sentence. */
export const RANGE_WORDS: Readonly<Record<string, string>> = {
  "15m": "the last 15 minutes",
  "1h": "the last hour",
  "24h": "the last 24 hours",
  "7d": "the last 7 days",
  "30d": "the last 30 days",
};

/** The entry of that value, else the first: an address that somebody wrote may hold anything. */
export function choose<T extends string>(values: readonly [T, ...T[]], value: string): T {
  return values.find((one) => one === value) ?? values[0];
}

export const SORTS = {
  network: "Network",
  method: "Method",
  calls: "Total",
  ok: "Success",
  failed: "Failed",
  credits: "Credits",
  latencyMs: "Mean",
  p95: "p95",
} as const;
export type SortKey = keyof typeof SORTS;
export type Sort = { readonly key: SortKey; readonly descending: boolean };

/** Rows in the order asked for; `failed` by share, since the number grows with the calls alone. */
export function sortRows(rows: readonly UsageRow[], { key, descending }: Sort): UsageRow[] {
  const sign = descending ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(a, b, key) || b.calls - a.calls);
}

function compare(a: UsageRow, b: UsageRow, key: SortKey): number {
  if (key === "network" || key === "method") return a[key].localeCompare(b[key]);
  if (key === "failed") return failedShare(a) - failedShare(b);
  return (a[key] ?? 0) - (b[key] ?? 0);
}

/** From 0 to 1. */
export function failedShare({ calls, failed }: Pick<UsageRow, "calls" | "failed">): number {
  return calls === 0 ? 0 : failed / calls;
}

/** The order of a column that is newly chosen: names rise, numbers begin with the largest. */
export function sortBy(key: string): Sort {
  const chosen = Object.hasOwn(SORTS, key) ? (key as SortKey) : "calls";
  return { key: chosen, descending: chosen !== "network" && chosen !== "method" };
}

/** A column that is chosen again turns round. */
export function nextSort(before: Sort, key: string): Sort {
  return before.key === key ? { ...before, descending: !before.descending } : sortBy(key);
}

/** Calls of each outcome over all rows, most first. */
export function outcomesOf(rows: readonly UsageRow[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { outcomes } of rows) {
    for (const [name, calls] of Object.entries(outcomes)) {
      counts.set(name, (counts.get(name) ?? 0) + calls);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}
