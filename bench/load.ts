/** The load generator as a process: runs one loop per message of the parent and sends its result. */
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
  | { readonly result: ClosedResult | OpenResult }
  | { readonly fault: string };

endWithParent();
process.on("message", (command: LoadCommand) => {
  const load = { ...command, scenario: scenarioOf(command.scenario) };
  const loop = command.rate === null ? closedLoop(load) : openLoop(load, command.rate);
  loop.then(
    (result) => answer({ result }),
    (error: unknown) => answer({ fault: error instanceof Error ? error.message : String(error) }),
  );
});
process.send?.({ port: 0 });

function answer(message: LoadAnswer): void {
  process.send?.(message);
}
