import { type Address, type Connection, open } from "./connection.ts";
import { cpuTimeUs } from "./cpu.ts";
import { Histogram } from "./histogram.ts";
import type { Scenario } from "./scenarios.ts";

export type Load = {
  readonly scenario: Scenario;
  readonly address: Address;
  /** Whose CPU time is counted; null: nobody's. */
  readonly pid: number | null;
  /** Both bound a loop: it ends with the first that is reached. */
  readonly seconds: number;
  readonly maxBodies: number;
};

export type ClosedResult = {
  readonly calls: number;
  readonly callsPerSecond: number;
  /** CPU microseconds of the subject per call; null where they cannot be known. */
  readonly cpuUs: number | null;
  readonly faults: Faults;
};

/** Milliseconds from the intended time of sending to the answer's last byte. */
export type OpenResult = {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly faults: Faults;
};

/** Answers that were not results, and the text of the first. */
export type Faults = { readonly count: number; readonly first: string | null };

/** How long the last answers may take after a loop's time is over. */
const PATIENCE_MS = 5000;

/** Numbers the bodies of this process, so that no two loops send the same one. */
let nextBody = 0;

/** Each connection sends its next body when the last is answered: for CPU per call and throughput. */
export async function closedLoop(load: Load): Promise<ClosedResult> {
  const { scenario } = load;
  const faults = new FaultCount();
  const connections = await openAll(load);
  const cpuBefore = load.pid === null ? null : cpuTimeUs(load.pid);
  const start = performance.now();
  const deadline = start + load.seconds * 1000;
  let sent = 0;
  const run = (connection: Connection) =>
    new Promise<void>((resolve) => {
      const next = () => {
        if (sent >= load.maxBodies || performance.now() >= deadline) return resolve();
        sent += 1;
        connection.send(scenario.body(nextBody++), (fault) => {
          faults.add(fault);
          // A connection that was lost ends here: the others go on, and the fault is reported.
          if (fault === null) next();
          else resolve();
        });
      };
      next();
    });
  await withinPatience(Promise.all(connections.map(run)), load, connections);
  const seconds = (performance.now() - start) / 1000;
  const cpuAfter = load.pid === null ? null : cpuTimeUs(load.pid);
  const calls = sent * scenario.callsPerBody;
  return {
    calls,
    callsPerSecond: calls / seconds,
    cpuUs: cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / calls,
    faults: faults.result,
  };
}

/**
 * Sends bodies at fixed intended times, whatever the answers do, and counts latency from the intended
 * time: a subject that stalls is charged with every call it kept waiting.
 */
export async function openLoop(load: Load, rate: number): Promise<OpenResult> {
  const faults = new FaultCount();
  const histogram = new Histogram();
  const idle = await openAll(load);
  const all = [...idle];
  const total = Math.min(load.maxBodies, Math.ceil(load.seconds * rate));
  const waiting: number[] = [];
  let answered = 0;
  const finished = new Promise<void>((resolve) => {
    const send = (connection: Connection, intended: number) => {
      connection.send(load.scenario.body(nextBody++), (fault) => {
        histogram.record((performance.now() - intended) * 1000);
        faults.add(fault);
        answered += 1;
        if (answered === total) return resolve();
        const next = waiting.shift();
        if (next === undefined) idle.push(connection);
        else send(connection, next);
      });
    };
    pace({ total, rate }, (intended) => {
      const connection = idle.pop();
      if (connection === undefined) waiting.push(intended);
      else send(connection, intended);
    });
  });
  await withinPatience(finished, load, all);
  return {
    calls: total,
    p50Ms: histogram.percentile(0.5) / 1000,
    p99Ms: histogram.percentile(0.99) / 1000,
    maxMs: histogram.max / 1000,
    faults: faults.result,
  };
}

/** Calls `due` at each intended time. It spins, because timers are a millisecond coarse. */
function pace(plan: { total: number; rate: number }, due: (intended: number) => void): void {
  const start = performance.now();
  let count = 0;
  const tick = () => {
    const now = performance.now();
    for (; count < plan.total; count += 1) {
      const intended = start + (count * 1000) / plan.rate;
      if (intended > now) break;
      due(intended);
    }
    if (count < plan.total) setImmediate(tick);
  };
  tick();
}

function openAll(load: Load): Promise<Connection[]> {
  const { protocol, connections } = load.scenario;
  return Promise.all(Array.from({ length: connections }, () => open(protocol, load.address)));
}

/** Waits for a loop, closes its connections, and fails where answers stay away. */
async function withinPatience(
  loop: Promise<unknown>,
  load: Load,
  connections: readonly Connection[],
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const text = `${load.scenario.name}: answers stayed away`;
    timer = setTimeout(() => reject(new Error(text)), load.seconds * 1000 + PATIENCE_MS);
  });
  try {
    await Promise.race([loop, late]);
  } finally {
    clearTimeout(timer);
    for (const connection of connections) connection.close();
  }
}

class FaultCount {
  #count = 0;
  #first: string | null = null;

  add(fault: string | null): void {
    if (fault === null) return;
    this.#count += 1;
    this.#first ??= fault;
  }

  get result(): Faults {
    return { count: this.#count, first: this.#first };
  }
}
