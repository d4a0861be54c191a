import type { MetricFamily, Readiness } from "../admin/operations.ts";
import type { Fault } from "../config/faults.ts";
import type { Config } from "../config/schema.ts";
import type { DrainResult } from "../fleet/fleet-member.ts";
import type { FleetOverview } from "../fleet/gateways.ts";
import type { NetworkOverview } from "../networks/overview.ts";
import type { UpstreamName } from "../storage/fleet-store.ts";
import type { BoardIndexes } from "./board-places.ts";

/** The file in which workers tell each other of heads: they inherit it open, beside the channel (3). */
export const BOARD_FD = 4;

/** The questions of the primary process to a worker, which may be answered late or never. */
export type Question =
  | { readonly kind: "metrics" }
  | { readonly kind: "networks" }
  | { readonly kind: "fleet" }
  | { readonly kind: "readiness" }
  | { readonly kind: "drain"; readonly place: UpstreamName; readonly drained: boolean }
  /** To make itself ready for another configuration. `commit` or `abort` follows where it has no fault. */
  | { readonly kind: "prepare"; readonly config: Config; readonly boards: BoardIndexes }
  | { readonly kind: "commit" }
  | { readonly kind: "abort" };

/** The answer to each kind of question. */
export type Answers = {
  readonly metrics: readonly MetricFamily[];
  readonly networks: readonly NetworkOverview[];
  /** Null where the storage does not answer. */
  readonly fleet: FleetOverview | null;
  readonly readiness: Readiness;
  readonly drain: DrainResult;
  readonly prepare: readonly Fault[];
  readonly commit: "done";
  readonly abort: "done";
};

export type Start = {
  readonly kind: "start";
  /** From 1 on; one that takes a dead worker's place has its number. */
  readonly number: number;
  /** The worker's own part of it. */
  readonly config: Config;
  readonly boards: BoardIndexes;
};

export type Ask = { readonly kind: "ask"; readonly id: number; readonly question: Question };

/** From the primary process to a worker. */
export type ToWorker = Start | Ask | { readonly kind: "stop" };

/** From a worker to the primary process. */
export type FromWorker =
  | { readonly kind: "serving"; readonly port: number }
  /** It could not start, for this reason, and ends. */
  | { readonly kind: "failed"; readonly text: string }
  /** Counters every second, for it may be killed at any moment; at an orderly end all metrics. */
  | { readonly kind: "counted"; readonly families: readonly MetricFamily[] }
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly answer: Answers[Question["kind"]];
    };
