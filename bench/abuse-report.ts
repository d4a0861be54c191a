import type { Abuse } from "./abuse.ts";
import { aligned, shown, verdict } from "./report.ts";

/** Of the gateway itself, and what was let go and is not collected yet. */
const BESIDE_BYTES = 150_000_000;
const MOST_P99_MS = 25;

/** What each abuse did to the gateway's memory and to a quiet client, as text for a terminal. */
export function abuseTable(abuses: readonly Abuse[], budgetBytes: number): string {
  const mostBytes = budgetBytes + BESIDE_BYTES;
  const megabytes = (bytes: number | null) => shown(bytes === null ? null : bytes / 1e6, 0);
  const head = [
    ...[
      "abuse",
      "addresses",
      "connections",
      "MB at most",
      "target",
      "quiet p50 ms",
      "quiet p99 ms",
    ],
    ...["target", "quiet calls", "not served"],
  ];
  const lines = abuses.map(({ abuse, addresses, opened, peakBytes, quiet }) => [
    abuse,
    String(addresses),
    String(opened),
    megabytes(peakBytes),
    `<= ${megabytes(mostBytes)}${verdict(peakBytes, (bytes) => bytes <= mostBytes)}`,
    shown(quiet.p50Ms, 2),
    shown(quiet.p99Ms, 2),
    `<= ${MOST_P99_MS}${verdict(quiet.p99Ms, (value) => value <= MOST_P99_MS)}`,
    String(quiet.served),
    String(notServed(quiet)),
  ]);
  const faults = abuses.flatMap(({ abuse, quiet: { faults: found } }) =>
    found.first === null ? [] : [`${abuse}: ${found.first}\n`],
  );
  return aligned([head, ...lines]) + faults.join("");
}

export const abuseFaults = (abuses: readonly Abuse[]): number =>
  abuses.reduce((sum, { quiet }) => sum + notServed(quiet), 0);

const notServed = ({ refused, faults }: Abuse["quiet"]): number => refused + faults.count;
