/** How many of something are wanted, with agave's words where that is too many (rpc-client-api/src/request.rs). */
import type { Param } from "../../definition.ts";
import { plain } from "./plain.ts";
import { type Reader, unsigned } from "./serde.ts";
import { SerdeFault } from "./serde-fault.ts";

function limit(type: "u64" | "usize", most: bigint, least = 0n): Reader {
  const read = unsigned(type);
  return (value) => {
    const given = read(value);
    const count = BigInt(given.text);
    if (count >= least && count <= most) return given;
    throw new SerdeFault(`Invalid limit; max ${most}`, { whole: true });
  };
}

/** How many signatures are wanted at once: 1 to 1,000. */
export const signatureLimit = limit("usize", 1000n, 1n);

export const leaderLimit: Param = plain("limit", "a number of slots, at most 5000", {
  check: limit("u64", 5000n),
  example: 5,
});

export const sampleLimit: Param = Object.freeze({
  ...plain("limit", "a number of samples, at most 720", { check: limit("usize", 720n) }),
  required: false,
} satisfies Param);
