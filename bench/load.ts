/**
 * The load generator as a process: runs the loops of each message of the parent, all at the same time,
 * and sends their results. `node bench/load.ts NODES`: with so many stand-in nodes on its own thread.
 * Where generator and nodes share a core, a thread is awake nearly always while two are asleep in
 * turns, and the kernel would charge the subject for waking them.
 */
import { manyPath, pathOfEvery } from "./bodies.ts";
import { endWithParent, listen } from "./child.ts";
import type { Address } from "./connection.ts";
import { type ClosedResult, closedLoop, type OpenResult, openLoop } from "./generator.ts";
import { type ScenarioName, scenarioOf } from "./scenarios.ts";
import { type NodeCounts, StandIn } from "./stand-in.ts";

export type LoadCommand = {
  readonly scenario: ScenarioName;
  readonly address: Address;
  readonly pid: number;
  readonly seconds: number;
  readonly maxBodies: number;
  /** Bodies a second of an open loop; null for a closed loop. */
  readonly rate: number | null;
  /** A closed loop of the scenario's first bodies, as many as it is primed with. */
  readonly isPriming: boolean;
  /** Of so many keys, each request has one, and calls one of many networks; null: the address's path. */
  readonly keys: number | null;
  /** Each of the keys calls once, and nothing is measured. */
  readonly isOfEveryKey?: boolean;
  /** In place of the address's path, one after the other. */
  readonly paths?: readonly string[];
  /** Whether the generator's thread may sleep while a closed loop's calls are in the air. */
  readonly maySleep: boolean;
};

/** Of what clients asked. */
export type ClientCounts = Pick<NodeCounts, "calls" | "carriers">;

export type LoadAnswer =
  | {
      readonly results: readonly (ClosedResult | OpenResult)[];
      /** What came to its own nodes meanwhile. */
      readonly upstream: ClientCounts;
    }
  | { readonly fault: string };

/** Its first message. */
export type LoadReady = { readonly port: 0; readonly nodePorts: readonly number[] };

const PRIMING_SECONDS = 60;
/** A million take a minute or two. */
const EVERY_KEY_SECONDS = 300;

endWithParent();
const nodes = Array.from({ length: Number(process.argv[2] ?? 0) }, () => new StandIn());
const nodePorts = await Promise.all(nodes.map(({ server }) => listen(server)));
process.on("message", (commands: readonly LoadCommand[]) => {
  const before = counted();
  Promise.all(commands.map(run)).then(
    (results) => {
      const { calls, carriers } = counted();
      const upstream = { calls: calls - before.calls, carriers: carriers - before.carriers };
      answer({ results, upstream });
    },
    (error: unknown) => answer({ fault: error instanceof Error ? error.message : String(error) }),
  );
});
process.send?.({ port: 0, nodePorts } satisfies LoadReady);

async function run(command: LoadCommand): Promise<ClosedResult | OpenResult> {
  const { keys, paths, rate } = command;
  const scenario = scenarioOf(command.scenario);
  const inTurn = paths && ((n: number) => paths[n % paths.length] ?? "/");
  const pathOf = keys === null ? inTurn : (n: number) => manyPath(n, keys);
  const load = { ...command, scenario, pathOf };
  if (command.isOfEveryKey === true) {
    const count = keys ?? 0;
    const all = { from: 0, seconds: EVERY_KEY_SECONDS, maxBodies: count };
    return closedLoop({ ...load, ...all, pathOf: (n) => pathOfEvery(n, count) });
  }
  if (!command.isPriming) return rate === null ? closedLoop(load) : openLoop(load, rate);
  return closedLoop({ ...load, from: 0, seconds: PRIMING_SECONDS, maxBodies: scenario.primed });
}

function counted(): ClientCounts {
  const all = nodes.map(({ counts }) => counts);
  return {
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    carriers: all.reduce((sum, { carriers }) => sum + carriers, 0),
  };
}

function answer(message: LoadAnswer): void {
  process.send?.(message);
}
