import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cores } from "./cpu.ts";
import type { OpenResult } from "./generator.ts";
import { median } from "./histogram.ts";
import type { LoadAnswer, LoadCommand } from "./load.ts";
import { type Part, Processes } from "./processes.ts";
import { startTollgate } from "./tollgate.ts";

/** A gateway with two nodes that are well, and one with a node that fails. */
const SUBJECTS = ["well", "failing"] as const;
type SubjectName = (typeof SUBJECTS)[number];

/** Milliseconds, medians of the rounds. */
export type Latency = { readonly p50Ms: number; readonly p99Ms: number };

export type FailingNode = Readonly<Record<SubjectName, Latency>> & {
  /** The 99th percentile of one attempt at a node that is well, as the gateway timed it. */
  readonly attemptP99Ms: number;
  /** By how much the failing node raises the 99th percentile. */
  readonly raisesMs: number;
  /** Of the failing node, since it fails. */
  readonly requests: number;
  readonly failed: number;
  /** Answers that were no results, of all. */
  readonly faults: number;
  readonly firstFault: string | null;
};

export type FailingNodeOptions = {
  /** The file that Node runs. */
  readonly program: string;
  readonly rounds: number;
  /** Of each loop. */
  readonly seconds: number;
  readonly cores: Cores | null;
};

type Counts = { readonly requests: number; readonly failed: number };
type Target = {
  readonly address: LoadCommand["address"];
  readonly pid: number;
  readonly adminPort: number;
};
type Stage = {
  readonly targets: Readonly<Record<SubjectName, Target>>;
  readonly broken: Part;
  readonly generator: Part;
};

const RATE = 1000;
const BUCKET = /^tollgate_upstream_call_duration_seconds_bucket\{le="([^"]+)".*\} (\d+)$/gm;

/**
 * What a node that answers every second request with HTTP 500 does to the clients' latency: two
 * gateways as their users start them, each with two nodes, in an open loop in turn.
 */
export async function failingNode(options: FailingNodeOptions): Promise<FailingNode> {
  const processes = new Processes({ cores: options.cores });
  const directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
  try {
    const stage = await start(processes, { directory, program: options.program });
    return await measure(stage, options);
  } finally {
    await processes.stopAll();
    await rm(directory, { recursive: true, force: true });
  }
}

async function start(
  processes: Processes,
  { directory, program }: { readonly directory: string; readonly program: string },
): Promise<Stage> {
  const node = () => processes.startChild("others", "./stand-in-node.ts");
  const [first, second, third, broken] = [await node(), await node(), await node(), await node()];
  const gateway = async (name: string, nodePorts: readonly number[]): Promise<Target> => {
    const own = join(directory, name);
    await mkdir(own);
    const { part, port, adminPort, key } = await startTollgate(processes, {
      program,
      directory: own,
      nodePorts,
    });
    return { address: { port, path: `/bench/v3/${key}` }, pid: part.pid, adminPort };
  };
  const [well, failing] = await Promise.all([
    gateway("well", [first.port, second.port]),
    gateway("failing", [third.port, broken.port]),
  ]);
  const generator = await processes.startChild("others", "./load.ts");
  return { targets: { well, failing }, broken: broken.part, generator: generator.part };
}

/** All at the same time: what else the machine does then happens to all of them. */
async function measure(
  { targets, broken, generator }: Stage,
  { rounds, seconds }: FailingNodeOptions,
): Promise<FailingNode> {
  const loop = { seconds, maxBodies: RATE * seconds, rate: RATE, isPriming: false, keys: null };
  const plan = { scenario: "forward", ...loop } as const;
  const commands = SUBJECTS.map((subject): LoadCommand => {
    const { address, pid } = targets[subject];
    return { address, pid, ...plan, maySleep: true };
  });
  const loops = async (): Promise<OpenResult[]> => {
    const answer = (await generator.ask(commands)) as LoadAnswer;
    if ("results" in answer) return answer.results as OpenResult[];
    throw new Error(answer.fault);
  };
  // The compiler's, while all nodes are well.
  await loops();
  const before = (await broken.ask({ failing: true })) as Counts;
  const attempts = await attemptsOf(targets.well);
  const results: OpenResult[][] = [];
  for (let round = 0; round < rounds; round += 1) results.push(await loops());
  const after = (await broken.ask({ failing: true })) as Counts;
  return {
    ...summary(results),
    attemptP99Ms: percentileOf(await attemptsOf(targets.well), { since: attempts, share: 0.99 }),
    requests: after.requests - before.requests,
    failed: after.failed - before.failed,
  };
}

/** Each round's results in the order of the subjects. */
function summary(
  results: readonly (readonly OpenResult[])[],
): Omit<FailingNode, "attemptP99Ms" | keyof Counts> {
  const faults = results.flat().map((result) => result.faults);
  const of = (subject: SubjectName) =>
    results.flatMap((round) => round[SUBJECTS.indexOf(subject)] ?? []);
  const [well, failing] = [of("well"), of("failing")];
  const raised = failing.map(({ p99Ms }, round) => p99Ms - (well[round]?.p99Ms ?? 0));
  return {
    ...{ well: latencyOf(well), failing: latencyOf(failing) },
    raisesMs: median(raised) ?? 0,
    faults: faults.reduce((sum, { count }) => sum + count, 0),
    firstFault: faults.find(({ first }) => first !== null)?.first ?? null,
  };
}

function latencyOf(results: readonly OpenResult[]): Latency {
  return {
    p50Ms: median(results.map(({ p50Ms }) => p50Ms)) ?? 0,
    p99Ms: median(results.map(({ p99Ms }) => p99Ms)) ?? 0,
  };
}

/** How many attempts took at most so many seconds, by seconds, of all nodes. */
type Buckets = ReadonlyMap<number, number>;

async function attemptsOf({ adminPort }: Target): Promise<Buckets> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`);
  const buckets = new Map<number, number>();
  for (const [, le, count] of (await response.text()).matchAll(BUCKET)) {
    const seconds = le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le);
    buckets.set(seconds, (buckets.get(seconds) ?? 0) + Number(count));
  }
  return buckets;
}

/** Milliseconds, evenly spread within a bucket, as Prometheus has it; 0 where nothing was counted. */
export function percentileOf(
  buckets: Buckets,
  { since, share }: { readonly since: Buckets; readonly share: number },
): number {
  const rank = share * countIn(buckets, since, Number.POSITIVE_INFINITY);
  if (rank === 0) return 0;
  let [lower, below] = [0, 0];
  for (const seconds of [...buckets.keys()].sort((a, b) => a - b)) {
    const count = countIn(buckets, since, seconds);
    if (count >= rank && count > below && Number.isFinite(seconds)) {
      return (lower + ((seconds - lower) * (rank - below)) / (count - below)) * 1000;
    }
    [lower, below] = [Number.isFinite(seconds) ? seconds : lower, count];
  }
  return lower * 1000;
}

function countIn(buckets: Buckets, since: Buckets, seconds: number): number {
  return (buckets.get(seconds) ?? 0) - (since.get(seconds) ?? 0);
}
