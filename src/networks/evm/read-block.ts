import { readHead } from "../../transports/ws-frame.ts";
import type { BlockHeader } from "../tracked-upstream.ts";

/** A block's header out of a node's answer; undefined for null and for what is none. */
export function readBlock(json: string | undefined): BlockHeader | undefined {
  if (json === undefined) return undefined;
  try {
    return readHead(JSON.parse(json));
  } catch {
    return undefined;
  }
}
