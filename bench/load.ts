/**
 * The load generator as a process: runs the loops of each message of the parent, all at the same time,
 * and sends their results.
 */
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
};

export type LoadAnswer =
  | { readonly results: readonly (ClosedResult | OpenResult)[] }
  | { readonly fault: string };

endWithParent();
process.on("message", (commands: readonly LoadCommand[]) => {
  Promise.all(commands.map(run)).then(
    (results) => answer({ results }),
    (error: unknown) => answer({ fault: error instanceof Error ? error.message : String(error) }),
  );
});
process.send?.({ port: 0 });

function run(command: LoadCommand): Promise<ClosedResult | OpenResult> {
  const load = { ...command, scenario: scenarioOf(command.scenario) };
  return command.rate === null ? closedLoop(load) : openLoop(load, command.rate);
}

function answer(message: LoadAnswer): void {
  process.send?.(message);
}
