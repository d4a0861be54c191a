import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** How a proxy treats what goes through it: `hole` takes everything and passes nothing on. */
export type Passage = "open" | "hole" | "closed";

/** Stands before a server on 127.0.0.1 and does to its connections what it is told. */
export type TcpProxy = {
  readonly port: number;
  /** From now on, also for the connections that are open; `closed` refuses new ones and cuts the others. */
  readonly set: (passage: Passage) => void;
  /** Cuts all connections that are open. */
  readonly cut: () => void;
  /** The next bytes of the server that this is true of are lost, and with them their connection. */
  readonly loseAnswer: (isIt: (bytes: Buffer) => boolean) => Promise<void>;
  readonly connections: () => number;
  readonly stop: () => Promise<void>;
};

type Pair = { readonly client: Socket; readonly server: Socket };

export async function startTcpProxy(port: number): Promise<TcpProxy> {
  let passage: Passage = "open";
  let lost: { isIt: (bytes: Buffer) => boolean; done: () => void } | undefined;
  const pairs = new Set<Pair>();
  const cut = () => {
    for (const { client, server } of pairs) {
      client.destroy();
      server.destroy();
    }
  };
  const listener = createServer({ noDelay: true }, (client) => {
    if (passage === "closed") {
      client.destroy();
      return;
    }
    const server = connect({ port, host: "127.0.0.1", noDelay: true });
    const pair = { client, server };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      socket.on("error", end);
      socket.on("close", end);
    }
    client.on("data", (bytes) => {
      if (passage !== "hole") server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (lost?.isIt(bytes)) {
        lost.done();
        lost = undefined;
        end();
        return;
      }
      if (passage !== "hole") client.write(bytes);
    });
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    set: (next) => {
      passage = next;
      if (next === "closed") cut();
    },
    cut,
    loseAnswer: (isIt) =>
      new Promise<void>((done) => {
        lost = { isIt, done };
      }),
    connections: () => pairs.size,
    stop: async () => {
      cut();
      listener.close();
      await once(listener, "close");
    },
  };
}
