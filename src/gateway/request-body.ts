import type { IncomingMessage } from "node:http";

/** As go-ethereum: 5 MiB. */
export const MAX_BODY_BYTES = 5 * 1024 * 1024;
/** How much of a refused body is still read, so that the client sees the answer before the end. */
const DRAINED_BYTES = 4 * MAX_BODY_BYTES;

export class BodyTooLarge {
  readonly limitBytes = MAX_BODY_BYTES;
}

/**
 * The whole body, or BodyTooLarge as soon as it is over the limit (a chunked one shows only then).
 * `done` is called once, and never where the client breaks off.
 */
export function readBody(
  request: IncomingMessage,
  done: (body: Buffer | BodyTooLarge) => void,
): void {
  const chunks: Buffer[] = [];
  let received = 0;
  let open = true;
  request.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (open && received <= MAX_BODY_BYTES) chunks.push(chunk);
    else if (open) {
      open = false;
      chunks.length = 0;
      done(new BodyTooLarge());
    } else if (received > DRAINED_BYTES) request.destroy();
  });
  request.on("end", () => {
    if (!open) return;
    open = false;
    const [only] = chunks;
    done(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
  });
}
