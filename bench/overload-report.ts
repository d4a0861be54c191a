import type { Hung } from "./hung.ts";
import type { Overload } from "./overload.ts";
import { aligned, shown, verdict } from "./report.ts";

const LEAST_GOODPUT = 0.9;
/** Of the quiet accounts' p99, above what it is without the flood. */
const MOST_ADDED_MS = 50;
const MOST_HEAD_AGE = 2;
/** While all nodes hang: until a call is refused that has no place, what waiting takes, and for how long others wait. */
const MOST_REFUSED_MS = 100;
const MOST_ADDED_BYTES = 64 * 1024 * 1024;
const MOST_HELD_MS = 50;

/** What the nodes could do and did while one account flooded them, as text for a terminal. */
export function overloadTable(overloads: readonly Overload[]): string {
  const head = [
    ...["overload", "served/s", "of what is possible", "target", "quiet p50 ms", "quiet p99 ms"],
    ...["alone", "added", "target", "refused", "head, blocks old", "target", "breakers opened"],
  ];
  const lines = overloads.map(({ scenario, capacity, goodput, alone, quiet, ...rest }) => {
    const share = goodput / capacity;
    const added = quiet.p99Ms - alone.p99Ms;
    return [
      scenario,
      shown(goodput, 1),
      shown(share, 2),
      `>= ${LEAST_GOODPUT}${verdict(share, (value) => value >= LEAST_GOODPUT)}`,
      shown(quiet.p50Ms, 0),
      shown(quiet.p99Ms, 0),
      shown(alone.p99Ms, 0),
      shown(added, 0),
      `<= ${MOST_ADDED_MS}${verdict(added, (value) => value <= MOST_ADDED_MS)}`,
      String(rest.flood.refused),
      shown(rest.headAge, 2),
      `<= ${MOST_HEAD_AGE}${verdict(rest.headAge, (value) => value <= MOST_HEAD_AGE)}`,
      String(rest.breakersOpened),
    ];
  });
  const faults = overloads.flatMap(({ scenario, alone, quiet, flood }) =>
    Object.entries({ alone, quiet, flood }).flatMap(([who, { faults: found, refused }]) => [
      ...(found.count > 0 ? [`${scenario}, ${who}: ${found.count} faults: ${found.first}\n`] : []),
      ...(who !== "flood" && refused > 0 ? [`${scenario}, ${who}: ${refused} refused\n`] : []),
    ]),
  );
  return aligned([head, ...lines]) + faults.join("");
}

/** Calls that got neither a result nor a refusal, and quiet ones that were refused. */
export function overloadFaults(overloads: readonly Overload[]): number {
  return overloads.reduce(
    (sum, { alone, quiet, flood }) =>
      sum +
      [alone, quiet, flood].reduce((all, { faults }) => all + faults.count, 0) +
      alone.refused +
      quiet.refused,
    0,
  );
}

/** What many calls did to the gateway while all nodes hung, as text for a terminal. */
export function hungLine({
  sent,
  refused,
  firstRefusedMs,
  addedBytes,
  heldMs,
  fault,
}: Hung): string {
  const most = (limit: number) => (value: number) => value <= limit;
  const megabytes = (bytes: number) => shown(bytes / 1e6, 0);
  const found = [
    `${refused} of ${sent} calls were refused while all nodes hung`,
    `the first one after ${shown(firstRefusedMs, 0)} ms (<= ${MOST_REFUSED_MS}${verdict(firstRefusedMs, most(MOST_REFUSED_MS))})`,
    `the others took ${megabytes(addedBytes)} MB (<= ${megabytes(MOST_ADDED_BYTES)}${verdict(addedBytes, most(MOST_ADDED_BYTES))})`,
    `the event loop was held up for ${shown(heldMs, 0)} ms at most (<= ${MOST_HELD_MS}${verdict(heldMs, most(MOST_HELD_MS))})`,
  ];
  return `${found.join("; ")}\n${fault === null ? "" : `while all nodes hung: ${fault}\n`}`;
}
