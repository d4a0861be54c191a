import type { Readiness } from "../admin/operations.ts";
import type { NetworkOverview, UpstreamOverview } from "../networks/overview.ts";

/**
 * One picture of each network out of those of several workers: as the worker with the highest head
 * sees it, with the calls that all of them have in the air, and the newest error. Undefined where there is none.
 */
export function oneOverview(
  views: readonly (readonly NetworkOverview[])[],
): readonly NetworkOverview[] | undefined {
  return views[0]?.map(({ name }) => {
    const all = views.flatMap((view) => view.filter((network) => network.name === name));
    const best = all.reduce((one, other) => (headOf(other) > headOf(one) ? other : one));
    const upstreams = best.upstreams.map((upstream) => {
      const same = all.flatMap((network) =>
        network.upstreams.filter((each) => each.name === upstream.name),
      );
      const inFlight = same.reduce((sum, each) => sum + each.inFlight, 0);
      return { ...upstream, inFlight, lastError: newestError(same) };
    });
    return { ...best, upstreams };
  });
}

/** The error that was seen last, as often as all of them have seen it. */
function newestError(same: readonly UpstreamOverview[]): UpstreamOverview["lastError"] {
  const errors = same.flatMap(({ lastError }) => lastError ?? []);
  const [newest] = errors.toSorted((one, other) => other.at.localeCompare(one.at));
  if (newest === undefined) return null;
  const alike = errors.filter((error) => error.class === newest.class);
  return { ...newest, count: alike.reduce((sum, { count }) => sum + count, 0) };
}

const headOf = ({ head }: NetworkOverview): number => head ?? -1;

/** By the worker's number; undefined: it did not answer in time. */
export type WorkerReadiness = readonly [number: number, readiness: Readiness | undefined];

/** Ready where one worker is; each obstacle names its worker. */
export function oneReadiness(workers: readonly WorkerReadiness[]): Readiness {
  const obstacles = workers.flatMap(([number, readiness]) =>
    (readiness?.obstacles ?? ["does not answer"]).map((text) => `worker ${number}: ${text}`),
  );
  return { ready: workers.some(([, readiness]) => readiness?.ready === true), obstacles };
}
