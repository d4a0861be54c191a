import type { Config } from "../config/schema.ts";
import type { Time } from "../lib/clock.ts";
import type { Storage } from "../storage/store.ts";
import { failureLine, type Logger } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { UsageRecorder } from "./usage-recorder.ts";

export type OwnUsageParts = {
  readonly storage: Pick<Storage, "usage">;
  readonly log: Logger;
  readonly clock: Time;
  readonly metrics: Metrics;
  /** Unlike the name of any other process on the store. */
  readonly process: string;
};

/** What this process notes of the calls that it serves. */
export function ownUsage(
  { usage: { keep } }: Config,
  { storage, log, clock, metrics, process }: OwnUsageParts,
): UsageRecorder {
  return new UsageRecorder(
    { keep, process },
    {
      store: storage.usage,
      clock,
      onStoreFailure: failureLine(log, "usage cannot be written; it is kept in memory"),
      onLost: (calls) => {
        metrics.usageLost.inc(calls);
        log.error({ calls }, "usage was lost: the store failed for too long");
      },
    },
  );
}
