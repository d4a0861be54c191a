import { LargeBuffers } from "../../src/wire/bytes/large-buffers.ts";
import { READ_BUFFER } from "../../src/wire/bytes/read-buffer.ts";
import type { ResponseHead } from "../../src/wire/client/response-head.ts";
import { ResponseReader } from "../../src/wire/client/response-reader.ts";
import { MAX_BODY_BYTES, type RawResponse } from "./raw-responses.ts";

/** What is longer than any read. */
const LONG = Buffer.alloc(400_000);

/**
 * What is seen of a response that is cut there, and after which the connection may end. Reads as a connection
 * does: into the common buffer, or where the reader wants the bytes.
 */
export function seenIn(
  bytes: Buffer,
  cuts: readonly number[] = [],
  ends = false,
): RawResponse["seen"] {
  const reader = new ResponseReader(new LargeBuffers());
  reader.begin(MAX_BODY_BYTES);
  let progress: ReturnType<ResponseReader["read"]> = "unfinished";
  let seen: { readonly head: ResponseHead; readonly body: string } | undefined;
  const take = () => {
    if (progress !== "whole" && progress !== "whole_and_more") return;
    const { head, body } = reader.take();
    seen = { head, body: body.toString("latin1") };
  };
  let at = 0;
  const stops = [...cuts.filter((cut) => cut > 0 && cut < bytes.length), bytes.length];
  for (const stop of stops.sort((a, b) => a - b)) {
    while (at < stop && progress === "unfinished") {
      const room = reader.room();
      const piece = bytes.subarray(at, Math.min(stop, at + (room?.length ?? stop)));
      const common = piece.length > READ_BUFFER.length ? LONG : READ_BUFFER;
      at += piece.copy(room ?? common);
      progress =
        room === undefined ? reader.read(common, piece.length) : reader.advance(piece.length);
      take();
      // The next connection's bytes.
      common.fill(0x30, 0, piece.length);
    }
  }
  if (progress === "unfinished" && ends) {
    progress = reader.end();
    take();
  }
  if (seen === undefined) return progress as RawResponse["seen"];
  const { head, body } = seen;
  const persists = head.persists && progress === "whole" && at === bytes.length;
  return { status: head.status, body, persists };
}
