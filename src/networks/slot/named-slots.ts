import { type JsonValue, NumberToken } from "../../jsonrpc/value.ts";
import type { Definition } from "../../methods/definition.ts";
import { COMMITMENTS, type Commitment } from "./slot-heads.ts";

/** The slots that a call names. Beyond 2^53 a slot is rounded: no chain gets that far. */
export type NamedSlots = {
  /** -1: none. */
  readonly slot: number;
  /** `finalized` where none is given, as agave does. */
  readonly commitment: Commitment;
};

/** Reads canonical params. */
export function slotsIn({ places }: Definition, args: readonly JsonValue[]): NamedSlots {
  const slot = places.slot < 0 ? undefined : args[places.slot];
  const config = places.config < 0 ? undefined : args[places.config];
  const asked = config instanceof Map ? config.get("commitment") : undefined;
  return {
    slot: numberOf(slot),
    commitment: COMMITMENTS.find((one) => one === asked) ?? "finalized",
  };
}

function numberOf(value: JsonValue | undefined): number {
  return value instanceof NumberToken ? Number(value.text) : -1;
}
