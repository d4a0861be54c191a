import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";

const TRIES = 250;
const TRY_MS = 20;

/** Somebody takes connections at this port of 127.0.0.1. @throws where nobody does in 5 s */
export async function untilListening(port: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch (error) {
      if (tries === TRIES) throw error;
      await setTimeout(TRY_MS);
    } finally {
      socket.destroy();
    }
  }
}
