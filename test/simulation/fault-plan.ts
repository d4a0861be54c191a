import { CHAIN_FAULTS, type ChainFaultKind, wireFault } from "./node-faults.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { SimulatedNode } from "./simulated-node.ts";
import type { World } from "./world.ts";

export type FaultPlan = {
  readonly world: World;
  readonly random: SeededRandom;
  /** All are over by then, save that a node that was restarted at the very end starts. */
  readonly spanMs: number;
  readonly say: (text: () => string) => void;
  /** Told as one begins that is of a node itself. */
  readonly onChainFault?: (kind: ChainFaultKind) => void;
};

type Span = { readonly beginMs: number; readonly endMs: number };

/** Some faults at random times. Returns how many. */
export function planFaults(plan: FaultPlan): number {
  const { random, spanMs, world, say } = plan;
  const count = random.int(0, 6);
  for (let left = count; left > 0; left -= 1) {
    const node = random.pick(world.nodes);
    const beginMs = random.between(0, spanMs * 0.8);
    const endMs = Math.min(beginMs + random.between(200, 9000), spanMs);
    if (random.chance(0.55)) planWire(plan, node, { beginMs, endMs });
    else planChain(plan, node, { beginMs, endMs });
  }
  world.time.after(spanMs, () => say(() => "calm"));
  return count;
}

function planWire(
  { world, random, say }: FaultPlan,
  node: SimulatedNode,
  { beginMs, endMs }: Span,
): void {
  const { time } = world;
  const fault = wireFault(random);
  time.after(beginMs, () => {
    if (node.wire !== undefined) return;
    say(() => `${node.options.name} ${fault.kind} ${fault.share}`);
    node.beginWire(fault);
    time.after(endMs - beginMs, () => {
      say(() => `${node.options.name} no longer ${fault.kind}`);
      node.endWire();
    });
  });
}

function planChain(
  { world, random, say, onChainFault }: FaultPlan,
  node: SimulatedNode,
  { beginMs, endMs }: Span,
): void {
  const { time, gateway } = world;
  const kind = random.pick(CHAIN_FAULTS);
  const { name } = node.options;
  time.after(beginMs, () => {
    if (node.chainFault !== undefined) return;
    say(() => `${name} ${kind}`);
    node.beginChain(kind);
    if (kind === "drained") gateway.network.setDrained(name, true);
    else onChainFault?.(kind);
    time.after(endMs - beginMs, () => {
      say(() => `${name} no longer ${kind}`);
      node.endChain();
      if (kind === "drained") gateway.network.setDrained(name, false);
    });
  });
}
