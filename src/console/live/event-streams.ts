import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import type { SystemTimers } from "../../lib/clock.ts";
import { Problem } from "../api/problem.ts";
import type { EventSource } from "../api/route.ts";

const HEARTBEAT_MS = 15_000;
const RECHECK_MS = 30_000;
/** An EventSource waits so long before it connects again. */
const RETRY_MS = 1000;
/** Tabs that one person has open. */
const STREAMS_OF_ONE = 10;
/** A reader that is so far behind does not read. */
const UNREAD_BYTES = 1_048_576;

/** In lower case, as those of hooks, so that none is sent twice. */
const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies that collect answers would hold events back.
  "x-accel-buffering": "no",
};

export type StreamRequest = {
  /** The id of the person or API token: streams are counted by it. */
  readonly reader: string;
  /** Rejects once the stream may not go on. */
  readonly recheck: () => Promise<unknown>;
};

/** The open streams of server-sent events. */
export class EventStreams {
  readonly #open = new Map<() => void, string>();
  readonly #timers: SystemTimers;

  constructor(timers: SystemTimers) {
    this.#timers = timers;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Writes the source's events until the reader leaves or may not go on.
   * @throws Problem where the reader has too many streams
   */
  run(reply: FastifyReply, source: EventSource, request: StreamRequest): void {
    const own = [...this.#open.values()].filter((id) => id === request.reader).length;
    if (own >= STREAMS_OF_ONE) {
      const text = `there are ${STREAMS_OF_ONE} live pages of yours open already; close one`;
      throw new Problem("too_many", text);
    }
    const response = reply.hijack().raw;
    // Those that hooks have set (of security) too: a response that is taken over does not get them.
    const headers = reply.getHeaders() as OutgoingHttpHeaders;
    response.writeHead(200, { ...headers, ...HEADERS });
    response.write(`retry: ${RETRY_MS}\n\n`);
    const end = (): void => void response.end();
    const stopHeartbeat = this.#timers.every(HEARTBEAT_MS, () => {
      response.write(": still here\n\n");
    });
    const stopRecheck = this.#timers.every(RECHECK_MS, () => {
      request.recheck().catch(end);
    });
    const stop = source.subscribe((event, json) => {
      if (response.writableLength > UNREAD_BYTES) response.destroy();
      else response.write(`event: ${event}\ndata: ${json}\n\n`);
    }, end);
    this.#open.set(end, request.reader);
    response.once("close", () => {
      stopHeartbeat();
      stopRecheck();
      this.#open.delete(end);
      stop();
    });
  }

  closeAll(): void {
    for (const end of this.#open.keys()) end();
  }
}
