import type { Server } from "node:net";

/** Listens on a free port of 127.0.0.1, tells it to the parent, and ends with the parent. */
export function serve(server: Server): void {
  endWithParent();
  server.listen({ host: "127.0.0.1", port: 0 }, () => {
    const address = server.address();
    if (address !== null && typeof address === "object") process.send?.({ port: address.port });
  });
}

/** A child whose parent is gone must not stay behind and hold a core. */
export function endWithParent(): void {
  process.once("disconnect", () => process.exit(0));
}
