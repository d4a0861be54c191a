import { vi } from "vitest";
import { openRaw, type RawConnection } from "../support/raw-connection.ts";

/**
 * The two ways that a request can come: on a connection that is plain from its first byte, and on
 * one that node:http has taken over, for a header that is odd and means nothing to the gateway.
 */
export type Wire = "plain" | "node:http";
export const WIRES: readonly Wire[] = ["plain", "node:http"];

export async function openOn(wire: Wire, port: number, path: string): Promise<RawConnection> {
  const raw = await openRaw(port);
  if (wire === "plain") return raw;
  raw.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nContent-Length: 2\r\n\r\n[]`);
  await vi.waitFor(() => raw.received().endsWith("}") || Promise.reject(new Error("no answer")), {
    interval: 2,
    timeout: 10_000,
  });
  const skipped = raw.received().length;
  return {
    ...raw,
    received: () => raw.received().slice(skipped),
    closed: raw.closed.then((text) => text.slice(skipped)),
  };
}

/** Without what differs from one answer to the next: the time, ids, what is left of the credits. */
export function withoutChance(text: string): string {
  return text
    .replaceAll(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r$/gm, "Date: D")
    .replaceAll(/^X-Request-Id: [0-9a-f]{12}-\w+\r$/gm, "X-Request-Id: I")
    .replaceAll(/^X-Credits-(Remaining|Reset): \d+\r$/gm, "X-Credits-$1: N")
    .replaceAll(/^RateLimit: "day";r=\d+;t=\d+, "second";r=\d+;t=1\r$/gm, "RateLimit: R");
}
