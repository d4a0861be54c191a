/**
 * Clients that are a burden, as a process: for each message of the parent one abuse from many addresses
 * of the loopback network, again and again until its time is over.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ATTACKS } from "./attacks.ts";
import { endWithParent } from "./child.ts";

export type AbuseCommand = {
  readonly abuse: string;
  readonly port: number;
  /** Of one key each; used in turns. */
  readonly paths: readonly string[];
  readonly addresses: number;
  readonly seconds: number;
};

/** How often a connection was opened. */
export type AbuseAnswer = { readonly opened: number };

/** After which a connection that was closed is opened again. */
const PAUSE_MS = 200;

async function run({ abuse, port, paths, addresses, seconds }: AbuseCommand): Promise<AbuseAnswer> {
  const attack = ATTACKS.find(({ name }) => name === abuse);
  if (attack === undefined) throw new Error(`there is no abuse "${abuse}"`);
  const until = performance.now() + seconds * 1000;
  const sockets = new Set<Socket>();
  let opened = 0;
  const work = async (place: number) => {
    const localAddress = `127.1.0.${1 + (place % addresses)}`;
    const path = paths[place % paths.length] ?? "/";
    while (performance.now() < until) {
      const socket = connect({ host: "127.0.0.1", port, localAddress });
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      socket.on("error", () => undefined);
      sockets.add(socket);
      socket.once("connect", () => {
        opened += 1;
        void attack.run(socket, path);
      });
      // What is paused does not see that the other side is gone.
      const watch = setInterval(() => socket.readableEnded && socket.destroy(), 500);
      await Promise.race([closed, sleep(Math.max(until - performance.now(), 0))]);
      clearInterval(watch);
      socket.destroy();
      sockets.delete(socket);
      await sleep(PAUSE_MS);
    }
  };
  const count = Math.max(attack.connections, addresses);
  await Promise.all(Array.from({ length: count }, (_, place) => work(place)));
  return { opened };
}

endWithParent();
process.on("message", (command: AbuseCommand) => {
  void run(command).then((answer) => process.send?.(answer));
});
process.send?.({ port: 0 });
