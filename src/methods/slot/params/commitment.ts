import { oneOf, type Reader, unsigned } from "./serde.ts";

const LEVELS = ["processed", "confirmed", "finalized"];

/** The levels' names before version 1.5; `root` and `max` were the deepest. */
const OLD_NAMES = {
  recent: "processed",
  single: "confirmed",
  singleGossip: "confirmed",
  root: "finalized",
  max: "finalized",
};

export const commitment: Reader = oneOf(LEVELS, OLD_NAMES);

/**
 * For the methods that read blocks. Nodes refuse `processed` there, the specification has it for
 * getBlock; a confirmed block was processed too, so that one is asked for.
 */
export const leastConfirmed: Reader = (value) => {
  const level = commitment(value);
  return level === "processed" ? "confirmed" : level;
};

/** Keys of nearly every config. */
export const context = { commitment, minContextSlot: unsigned("u64") };
