import { connect } from "node:net";
import { availableParallelism } from "node:os";
import { MomentClock, type Moments, type MonotonicMs, systemClock } from "../lib/clock.ts";
import { LargeBuffers } from "./bytes/large-buffers.ts";
import { BusyPoll } from "./client/busy-poll.ts";
import { NodeInside } from "./node-inside.ts";
import { ReadTurns } from "./read-turns.ts";
import type { WireKind } from "./wire-kind.ts";

/** Where a process ends: a simulation has its own. */
export type Outside = {
  readonly clock: Moments;
  /** Goes on within a moment: how long a turn of the event loop lasts already. */
  readonly monotonic: () => MonotonicMs;
  /** Opens a connection without TLS. */
  readonly connect: typeof connect;
  /** Runs it when what has come by now was read. */
  readonly afterReads: (run: () => void) => void;
  /** While one core works here, another one is free. */
  readonly hasSpareCore: boolean;
  /** Node may be reached into. */
  readonly hasInside: boolean;
};

/** The parts that all sockets of a process share, since one event loop serves them. */
export class EventLoop {
  readonly wire: WireKind;
  readonly inside: NodeInside;
  readonly clock: Moments;
  readonly connect: Outside["connect"];
  readonly afterReads: Outside["afterReads"];
  /** Whose turn it is to be read: of clients, and of nodes, so that answers wait for no client. */
  readonly clientReads: ReadTurns;
  readonly nodeReads: ReadTurns;
  /** The buffers into which nodes' answers are read, and from which clients' are written. */
  readonly buffers = new LargeBuffers();
  readonly busyPoll: BusyPoll;

  constructor(wire: WireKind, outside: Outside = system(wire)) {
    const { clock, monotonic, afterReads, hasSpareCore } = outside;
    this.wire = wire;
    this.inside = new NodeInside(outside.hasInside);
    this.clock = clock;
    this.connect = outside.connect;
    this.afterReads = afterReads;
    this.clientReads = new ReadTurns(monotonic, afterReads);
    this.nodeReads = new ReadTurns(monotonic, afterReads);
    this.busyPoll = new BusyPoll({ clock, hasSpareCore, again: afterReads });
  }
}

function system(wire: WireKind): Outside {
  return {
    ...{ clock: new MomentClock(), monotonic: systemClock.monotonic, connect },
    afterReads: (run) => void setImmediate(run),
    // A container's share of the machine is what counts.
    hasSpareCore: availableParallelism() > 1,
    hasInside: wire === "plain",
  };
}
