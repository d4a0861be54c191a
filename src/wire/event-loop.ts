import { availableParallelism } from "node:os";
import { MomentClock, systemClock } from "../lib/clock.ts";
import { LargeBuffers } from "./bytes/large-buffers.ts";
import { BusyPoll } from "./client/busy-poll.ts";
import { NodeInside } from "./node-inside.ts";
import { ReadTurns } from "./read-turns.ts";
import type { WireKind } from "./wire-kind.ts";

/** The parts that all sockets of a process share, since one event loop serves them. */
export class EventLoop {
  readonly wire: WireKind;
  readonly inside: NodeInside;
  readonly clock = new MomentClock();
  /**
   * Whose turn it is to be read: of clients, and of nodes, so that answers wait for no client. Their
   * time goes on within a moment.
   */
  readonly clientReads = new ReadTurns(systemClock.monotonic);
  readonly nodeReads = new ReadTurns(systemClock.monotonic);
  /** The buffers into which nodes' answers are read, and from which clients' are written. */
  readonly buffers = new LargeBuffers();
  readonly busyPoll = new BusyPoll({
    clock: this.clock,
    // A container's share of the machine is what counts.
    hasSpareCore: availableParallelism() > 1,
    again: (poll) => void setImmediate(poll),
  });

  constructor(wire: WireKind) {
    this.wire = wire;
    this.inside = new NodeInside(wire === "plain");
  }
}
