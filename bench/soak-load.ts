/**
 * The clients of a soak as a process: `node bench/soak-load.ts PORT KEYS`. Each message of the parent is
 * answered with what has happened since the beginning (`SoakReport`).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { endWithParent } from "./child.ts";
import { SoakClients, type SoakReport } from "./soak-clients.ts";

export type SoakCommand =
  /** As many bodies as are answered, so many in the air, for some seconds. */
  | { readonly kind: "saturate"; readonly seconds: number; readonly inAir: number }
  /** Bodies at this rate, until `end`. */
  | { readonly kind: "begin"; readonly perSecond: number }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "end" };

/** How long the last answers may take. */
const PATIENCE_MS = 10_000;

endWithParent();
const [port = 0, keys = 1] = process.argv.slice(2).map(Number);
const clients = new SoakClients({ port, keys });
let isEnding = false;
await clients.open();
process.on("message", (command: SoakCommand) => {
  carryOut(command).then(
    () => process.send?.(clients.report() satisfies SoakReport),
    (error: unknown) => {
      throw error;
    },
  );
});
process.send?.({ port: 0 });

async function carryOut(command: SoakCommand): Promise<void> {
  switch (command.kind) {
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
      isEnding = true;
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
  let count = 0;
  const tick = () => {
    const due = ((performance.now() - start) * perSecond) / 1000;
    for (; count < due; count += 1) clients.send(start + (count * 1000) / perSecond);
    if (!isEnding) setTimeout(tick, 1);
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
