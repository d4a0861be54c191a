import * as library from "ws";

/** As it is made by the library, whose types do not tell of it. */
type Receiver = {
  on(event: string, listener: (data: Buffer) => void): void;
  _write(bytes: Buffer, encoding: string, done: (fault?: Error & { code?: string }) => void): void;
};
const { Receiver } = library as unknown as { Receiver: new (options: object) => Receiver };

/**
 * The library's reader of a client's bytes: what it tells goes to `told`, in order. Messages have at most
 * `maxPayload` bytes.
 */
export function readByLibrary(told: string[], maxPayload: number) {
  const receiver = new Receiver({ isServer: true, maxPayload });
  const state = { isOpen: true };
  for (const kind of ["message", "ping", "pong"]) {
    receiver.on(kind, (data) => told.push(`${kind} ${data.toString("latin1")}`));
  }
  receiver.on("conclude", () => {
    state.isOpen = false;
    told.push("close");
  });
  // Not `write`, which leaves something to a later turn of the loop.
  const write = (bytes: Buffer): void => {
    if (!state.isOpen) return;
    receiver._write(bytes, "buffer", (fault) => {
      if (fault === undefined || fault === null) return;
      state.isOpen = false;
      told.push(`error ${fault.code}`);
    });
  };
  return { state, write };
}
