import type { Server } from "node:net";

/** Listens on a free port of 127.0.0.1, tells it to the parent, and ends with the parent. */
export function serve(server: Server): void {
  endWithParent();
  void listen(server).then((port) => process.send?.({ port }));
}

/** Listens on a free port of 127.0.0.1, which it resolves to. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen({ host: "127.0.0.1", port: 0 }, () => {
      const address = server.address();
      resolve(address !== null && typeof address === "object" ? address.port : 0);
    });
  });
}

/** A child whose parent is gone must not stay behind and hold a core. */
export function endWithParent(): void {
  process.once("disconnect", () => process.exit(0));
}
