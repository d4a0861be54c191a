import type { IncomingMessage } from "node:http";

/**
 * Whether a request asks for another protocol than HTTP/1.1 and is answered in HTTP/1.1 all the same. Node's
 * parser stops behind it and drops what follows, so the connection has to end with its answer: the client
 * then knows that nothing else was served.
 */
export function isUnservedUpgrade({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return headers.upgrade !== undefined;
}
