import type { ParamsWording } from "../check-params.ts";
import type { Param } from "../definition.ts";
import { SerdeFault, textOf } from "./params/serde-fault.ts";

const NONE_EXPECTED = "Invalid parameters: No parameters were expected";

/**
 * The words of agave 3.0 for faults of a list of params. It reads a list without an optional
 * parameter as a tuple, and counts any other first (jsonrpc-derive 18).
 */
export const SLOT_WORDING: ParamsWording = Object.freeze({
  lengthFirst: true,
  notArray: (wanted) => {
    if (wanted.length === 0) return NONE_EXPECTED;
    if (isTuple(wanted)) return `Invalid params: invalid type: map, ${tupleOf(wanted)}.`;
    return "`params` should be an array";
  },
  tooFew: (wanted, given) =>
    isTuple(wanted)
      ? `Invalid params: invalid length ${given}, ${tupleOf(wanted)}.`
      : `\`params\` should have at least ${requiredOf(wanted)} argument(s)`,
  tooMany: (wanted, given) => {
    if (wanted.length === 0) return NONE_EXPECTED;
    if (isTuple(wanted)) {
      return `Invalid params: invalid length ${given}, expected fewer elements in array.`;
    }
    const least = requiredOf(wanted);
    return `Invalid parameters: Expected from ${least} to ${wanted.length} parameters.`;
  },
  wrong: (fault) => (fault instanceof SerdeFault ? textOf(fault) : fault.message),
} satisfies ParamsWording);

const requiredOf = (wanted: readonly Param[]): number =>
  wanted.filter(({ required }) => required === true).length;

const isTuple = (wanted: readonly Param[]): boolean => requiredOf(wanted) === wanted.length;

const tupleOf = (wanted: readonly Param[]): string => `expected a tuple of size ${wanted.length}`;
