/**
 * The clients of a soak and the nodes behind the gateway, as one process: on one core two more would
 * only be in each other's way. `node bench/soak-load.ts NODES EPOCH_MS BLOCK_MS`: their chain grows
 * since that Unix time. Each message of the parent is answered with what has happened since the
 * beginning (`SoakReport`).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { endWithParent, listen } from "./child.ts";
import type { LoadReady } from "./load.ts";
import { SoakClients, type SoakReport } from "./soak-clients.ts";
import { StandIn } from "./stand-in.ts";

export type SoakCommand =
  /** The first: clients with so many keys connect to the gateway. */
  | { readonly kind: "open"; readonly port: number; readonly keys: number }
  /** As many bodies as are answered, so many in the air, for some seconds. */
  | { readonly kind: "saturate"; readonly seconds: number; readonly inAir: number }
  /** Bodies at this rate, until another one or `end`. */
  | { readonly kind: "begin"; readonly perSecond: number }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "end" };

/** How long the last answers may take. */
const PATIENCE_MS = 10_000;

endWithParent();
const [count = 1, epochMs = 0, blockMs = 1] = process.argv.slice(2).map(Number);
const nodes = Array.from({ length: count }, () => new StandIn({ epochMs, blockMs }));
const nodePorts = await Promise.all(nodes.map(({ server }) => listen(server)));
let clients = new SoakClients({ port: 0, keys: 1 });
/** Of `begin`: the one before it ends with the next. */
let pace = 0;
process.on("message", (command: SoakCommand) => {
  carryOut(command).then(
    () => process.send?.(clients.report() satisfies SoakReport),
    (error: unknown) => {
      throw error;
    },
  );
});
process.send?.({ port: 0, nodePorts } satisfies LoadReady);

async function carryOut(command: SoakCommand): Promise<void> {
  switch (command.kind) {
    case "open":
      clients = new SoakClients(command);
      return clients.open();
    case "saturate":
      return saturate(command);
    case "begin":
      clients.resume();
      return begin(command.perSecond);
    case "pause":
      return clients.pause();
    case "resume":
      return clients.resume();
    case "end":
      pace += 1;
      clients.drop();
      await answered();
      clients.close();
  }
}

async function saturate({ seconds, inAir }: { seconds: number; inAir: number }): Promise<void> {
  clients.onAnswer = () => {
    // On its own turn: a client that leaves is answered within the call that sends for it.
    queueMicrotask(() => {
      if (!isOver) clients.send(performance.now());
    });
  };
  let isOver = false;
  for (let n = 0; n < inAir; n += 1) clients.send(performance.now());
  await sleep(seconds * 1000);
  isOver = true;
  clients.drop();
  await answered();
  clients.onAnswer = () => undefined;
}

/**
 * In portions of a millisecond, which latency contains: a loop that spins would take the nodes' core,
 * and what is measured over an hour is whether it stays as it is.
 */
function begin(perSecond: number): void {
  const start = performance.now();
  pace += 1;
  const own = pace;
  let sent = 0;
  const tick = () => {
    if (own !== pace) return;
    const due = ((performance.now() - start) * perSecond) / 1000;
    for (; sent < due; sent += 1) clients.send(start + (sent * 1000) / perSecond);
    setTimeout(tick, 1);
  };
  tick();
}

async function answered(): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (clients.inAir > 0) {
    if (performance.now() > deadline) throw new Error(`${clients.inAir} answers stayed away`);
    await sleep(5);
  }
}
