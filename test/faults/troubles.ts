import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { RigNetwork } from "../support/gateway-rig.ts";
import { type Load, type LoadReport, runLoad } from "../support/traffic.ts";

/** A node that nobody asked for 5 s is asked again. */
const SHOWN_MS = 8000;

type Showing = {
  readonly network: RigNetwork;
  /** The one with the fault. */
  readonly upstream: string;
  /** Its troubles before the fault. */
  readonly quiet: ReadonlyMap<string, number>;
  readonly load: () => Promise<Load>;
};

/**
 * Of two upstreams that are as fast as each other one may be asked little for a while. So this
 * loads the gateway, each time with no wrong answer, until its metrics show the fault.
 */
export async function troublesShown({ network, upstream, quiet, load }: Showing): Promise<void> {
  const begun = performance.now();
  while (performance.now() - begun < SHOWN_MS) {
    if (!isDeepStrictEqual(await network.troubles(upstream), quiet)) return;
    expectRight(await runLoad(await load()));
  }
  expect(await network.troubles(upstream), "the metrics show it").not.toEqual(quiet);
}

export function expectRight({ errors, wrong, faults }: LoadReport): void {
  expect({ errors, wrong, faults }).toEqual({ errors: [], wrong: [], faults: 0 });
}
