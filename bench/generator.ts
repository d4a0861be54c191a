import { type Address, type Connection, type Outgoing, open } from "./connection.ts";
import { cpuTimeUs, writesOf } from "./cpu.ts";
import { Fifo } from "./fifo.ts";
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
  /** In place of the address's path, of the n-th body. */
  readonly pathOf?: ((n: number) => string) | undefined;
  /** Whether this thread may sleep while a closed loop's calls are in the air. */
  readonly maySleep: boolean;
  /** The number of its first body; the process's next unless it is given. */
  readonly from?: number | undefined;
};

export type ClosedResult = {
  readonly calls: number;
  readonly callsPerSecond: number;
  /** CPU microseconds of the subject per call; null where they cannot be known. */
  readonly cpuUs: number | null;
  /** Writes of the subject per call; null where they cannot be known. */
  readonly writes: number | null;
  /** Bytes received per call, heads included. */
  readonly bytes: number;
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

/** More connections at once would be more than a server lets wait to be accepted. */
const OPENED_AT_ONCE = 100;

/** Numbers the bodies of this process, so that no two loops send the same one. */
let nextBody = 0;

/** Each connection sends its next body when the last is answered: for CPU per call and throughput. */
export async function closedLoop(load: Load): Promise<ClosedResult> {
  const { scenario } = load;
  const faults = new FaultCount();
  const connections = await openAll(load);
  const before = subjectOf(load);
  const receivedBefore = receivedBy(connections);
  const start = performance.now();
  const loop = scenario.atOnce ? waves : closed;
  let sent = 0;
  const ended = loop(load, { connections, faults, next: numbering(load.from) }).then((bodies) => {
    sent = bodies;
  });
  const sleeps = load.maySleep ? null : stayAwake();
  await withinPatience(ended, load, connections).finally(sleeps);
  const seconds = (performance.now() - start) / 1000;
  const after = subjectOf(load);
  const calls = sent * scenario.callsPerBody;
  const perCall = (from: number | null, to: number | null) =>
    from === null || to === null ? null : (to - from) / calls;
  return {
    calls,
    callsPerSecond: calls / seconds,
    cpuUs: perCall(before.cpuUs, after.cpuUs),
    writes: perCall(before.writes, after.writes),
    bytes: (receivedBy(connections) - receivedBefore) / calls,
    faults: faults.result,
  };
}

/**
 * Looks for events without ever waiting for them, until the function that it returns is called: a
 * subject whose answer wakes a sleeping thread is charged with that, by 2 to 5 us, and a fast one,
 * which lets it sleep less, is not.
 */
function stayAwake(): () => void {
  let turn: NodeJS.Immediate;
  const look = () => {
    turn = setImmediate(look);
  };
  look();
  return () => clearImmediate(turn);
}

type Loop = {
  readonly connections: readonly Connection[];
  readonly faults: FaultCount;
  /** The number of the next body. */
  readonly next: () => number;
};

function numbering(from: number | undefined): () => number {
  if (from === undefined) return () => nextBody++;
  let n = from;
  return () => n++;
}

/** Resolves to how many bodies were sent, once all are answered. */
async function closed(load: Load, { connections, faults, next }: Loop): Promise<number> {
  const deadline = performance.now() + load.seconds * 1000;
  let sent = 0;
  const run = (connection: Connection) =>
    new Promise<void>((resolve) => {
      const goOn = () => {
        if (sent >= load.maxBodies || performance.now() >= deadline) return resolve();
        sent += 1;
        connection.send(outgoing(load, next()), (fault) => {
          faults.add(fault);
          // A connection that was lost ends here: the others go on, and the fault is reported.
          if (fault === null) goOn();
          else resolve();
        });
      };
      goOn();
    });
  await Promise.all(connections.map(run));
  return sent;
}

/** One body on all connections at once, again and again; resolves to how many were sent. */
async function waves(load: Load, { connections, faults, next }: Loop): Promise<number> {
  const deadline = performance.now() + load.seconds * 1000;
  let sent = 0;
  while (sent < load.maxBodies && performance.now() < deadline && faults.result.count === 0) {
    const request = outgoing(load, next());
    const answers = connections.map(
      (connection) =>
        new Promise<void>((resolve) => {
          connection.send(request, (fault) => {
            faults.add(fault);
            resolve();
          });
        }),
    );
    sent += connections.length;
    await Promise.all(answers);
  }
  return sent;
}

function outgoing({ scenario, pathOf }: Load, n: number): Outgoing {
  return { body: scenario.body(n), path: pathOf?.(n) };
}

function subjectOf({ pid }: Load): { cpuUs: number | null; writes: number | null } {
  return pid === null
    ? { cpuUs: null, writes: null }
    : { cpuUs: cpuTimeUs(pid), writes: writesOf(pid) };
}

function receivedBy(connections: readonly Connection[]): number {
  return connections.reduce((sum, connection) => sum + connection.received(), 0);
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
  const waiting = new Fifo<number>();
  let answered = 0;
  const finished = new Promise<void>((resolve) => {
    const send = (connection: Connection, intended: number) => {
      connection.send(outgoing(load, nextBody++), (fault) => {
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

async function openAll({ scenario, address }: Load): Promise<Connection[]> {
  const opened: Connection[] = [];
  while (opened.length < scenario.connections) {
    const more = Math.min(OPENED_AT_ONCE, scenario.connections - opened.length);
    const some = Array.from({ length: more }, () => open(scenario.protocol, address));
    opened.push(...(await Promise.all(some)));
  }
  return opened;
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
