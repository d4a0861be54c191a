/**
 * The load generator as a process: runs the loops of each message of the parent, all at the same time,
 * and sends their results.
 */
import { manyPath } from "./bodies.ts";
import { endWithParent } from "./child.ts";
import type { Address } from "./connection.ts";
import { type ClosedResult, closedLoop, type OpenResult, openLoop } from "./generator.ts";
import { type ScenarioName, scenarioOf } from "./scenarios.ts";

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
  /** In place of the address's path, one after the other. */
  readonly paths?: readonly string[];
};

export type LoadAnswer =
  | { readonly results: readonly (ClosedResult | OpenResult)[] }
  | { readonly fault: string };

const PRIMING_SECONDS = 60;

endWithParent();
process.on("message", (commands: readonly LoadCommand[]) => {
  Promise.all(commands.map(run)).then(
    (results) => answer({ results }),
    (error: unknown) => answer({ fault: error instanceof Error ? error.message : String(error) }),
  );
});
process.send?.({ port: 0 });

async function run(command: LoadCommand): Promise<ClosedResult | OpenResult> {
  const { keys, paths, rate } = command;
  const scenario = scenarioOf(command.scenario);
  const inTurn = paths && ((n: number) => paths[n % paths.length] ?? "/");
  const pathOf = keys === null ? inTurn : (n: number) => manyPath(n, keys);
  const load = { ...command, scenario, pathOf };
  if (!command.isPriming) return rate === null ? closedLoop(load) : openLoop(load, rate);
  return closedLoop({ ...load, from: 0, seconds: PRIMING_SECONDS, maxBodies: scenario.primed });
}

function answer(message: LoadAnswer): void {
  process.send?.(message);
}
