import type { JsonValue } from "../../jsonrpc/value.ts";
import { isBeyondBlocks } from "../params/plain-params.ts";

/** Answers null for an index (second parameter) that no block reaches; some nodes refuse it. */
export const beyondBlocksIsNull = (params: readonly JsonValue[]): string | undefined =>
  isBeyondBlocks(params[1]) ? "null" : undefined;
