import type { IncomingMessage } from "node:http";

/** As go-ethereum: 5 MiB. */
export const MAX_BODY_BYTES = 5 * 1024 * 1024;
/** How much of a refused body is still read, so that the client sees the answer before the end. */
const DRAINED_BYTES = 4 * MAX_BODY_BYTES;

export class BodyTooLarge {
  readonly limitBytes = MAX_BODY_BYTES;
}

/** Reads on past a refusal, so that the client sees it instead of a reset; but not without end. */
export function drain(request: IncomingMessage): void {
  if (request.complete) return;
  let received = 0;
  request.on("data", ({ length }: Buffer) => {
    received += length;
    if (received > DRAINED_BYTES) request.destroy();
  });
}

/**
 * The whole body, or BodyTooLarge as soon as it is over the limit (a chunked one shows only then);
 * the rest is for `drain`. `done` is called once, and never where the client breaks off.
 */
export function readBody(
  request: IncomingMessage,
  done: (body: Buffer | BodyTooLarge) => void,
): void {
  const chunks: Buffer[] = [];
  let received = 0;
  const keep = (chunk: Buffer) => {
    received += chunk.length;
    chunks.push(chunk);
    if (received <= MAX_BODY_BYTES) return;
    request.off("data", keep);
    request.off("end", end);
    done(new BodyTooLarge());
  };
  const end = () => {
    const [only] = chunks;
    done(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
  };
  request.on("data", keep);
  request.on("end", end);
}
