import { createRequire } from "node:module";
import { type DestinationStream, type Logger, pino } from "pino";
import type pinoPretty from "pino-pretty";
import type { Clock } from "../lib/clock.ts";
import { redact } from "./redact.ts";

export type { Logger } from "pino";

export type LogOptions = {
  readonly level: string;
  /** Readable lines instead of JSON. */
  readonly terminal: boolean;
};

/** JSON lines on standard output, every line redacted as a whole before it is written. */
export function createLog(
  { level, terminal }: LogOptions,
  destination: DestinationStream = destinationFor(terminal),
): Logger {
  const family = new Set<WeakRef<Logger>>();
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { streamWrite: redact },
    onChild: (child: Logger) => void family.add(new WeakRef(child)),
  };
  const log: Logger = pino(options, destination);
  family.add(new WeakRef(log));
  // Children of pino inherit from their parents.
  return Object.assign(log, { [FAMILY]: family });
}

/** A log with all that were made of it. */
type InFamily = { readonly [FAMILY]?: Set<WeakRef<Logger>> };
const FAMILY = Symbol("family");

/** Of a log that `createLog` made, and of all others that were made of it: a child of pino keeps its own level. */
export function setLogLevel(log: Logger, level: string): void {
  const family = (log as InFamily)[FAMILY] ?? new Set();
  for (const reference of family) {
    const one = reference.deref();
    if (one === undefined) family.delete(reference);
    else one.level = level;
  }
}

/**
 * A log that writes warnings and errors alone until `speak` is called: what a command prints once it
 * serves then stands above the lines of its log.
 */
export function createQuietLog(
  options: LogOptions,
  destination: DestinationStream = destinationFor(options.terminal),
): { readonly log: Logger; readonly speak: () => void } {
  let isQuiet = true;
  const sink = {
    // pino tells such a stream the level of each line before it writes the line.
    [pino.symbols.needsMetadataGsym]: true as const,
    lastLevel: 0,
    write(line: string): void {
      if (!isQuiet || sink.lastLevel >= WARNING) destination.write(line);
    },
  };
  const speak = () => {
    isQuiet = false;
  };
  return { log: createLog(options, sink), speak };
}

const WARNING = pino.levels.values["warn"] ?? 0;

function destinationFor(terminal: boolean): DestinationStream {
  return terminal ? readable() : standardOutput();
}

/** Lines that wait for room on the disk that standard output goes to; more are dropped. */
const MAX_WAITING_BYTES = 1 << 20;

/**
 * Standard output whose disk may be full: the process goes on without a log, and writes on once there is
 * room. pino's own destination ends the process.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: MAX_WAITING_BYTES });
  output.on("error", () => undefined);
  return output;
}

/** Loaded where a person looks on: it takes as long as pino, and a service writes JSON. */
function readable(): DestinationStream {
  const require = createRequire(import.meta.url);
  const pretty: typeof pinoPretty = require("pino-pretty");
  return pretty({ colorize: true, sync: true });
}

const LINES_PER_SECOND = 10;

/** Warnings that calls cause, bounded: a node that is down must not fill the disk with lines. */
export class CallLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  #second = 0;
  #lines = 0;
  #suppressed = 0;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  warn(fields: Record<string, unknown>, text: string): void {
    const second = Math.floor(this.#clock.monotonic() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines > LINES_PER_SECOND) {
      this.#suppressed += 1;
      return;
    }
    const suppressed = this.#suppressed;
    this.#suppressed = 0;
    this.#log.warn(suppressed > 0 ? { ...fields, suppressed } : fields, text);
  }
}

/** Logs why something failed. */
export function failureLine(log: Pick<Logger, "error">, text: string): (cause: unknown) => void {
  return (cause) => log.error({ cause: String(cause) }, text);
}
