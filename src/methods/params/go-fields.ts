/** Checks of single fields. `place` is the Go field as errors name it: `TransactionArgs.gas`. */
import { boolean, bytes, fixedBytes, goField, list, quantity } from "./decode.ts";
import type { FieldCheck } from "./fields.ts";

export function fixedField(place: string, type: string, sizeBytes: number): FieldCheck {
  const target = goField(place, type);
  return (value) => fixedBytes(value, sizeBytes, target);
}

export const addressField = (place: string): FieldCheck => fixedField(place, "common.Address", 20);

export const hashField = (place: string): FieldCheck => fixedField(place, "common.Hash", 32);

export function numberField(place: string, bits: 8 | 64 | 256): FieldCheck {
  const target = goField(place, bits === 256 ? "*hexutil.Big" : "hexutil.Uint64");
  return (value) => quantity(value, bits, target);
}

export function flagField(place: string): FieldCheck {
  const target = goField(place, "bool");
  return (value) => boolean(value, target);
}

export function bytesField(place: string): FieldCheck {
  const target = goField(place, "hexutil.Bytes");
  return (value) => bytes(value, target);
}

/** A list of Go type `type`, each of its elements checked by `element`. */
export function listField(place: string, type: string, element: FieldCheck): FieldCheck {
  const target = goField(place, type);
  return (value) => list(value, target, element);
}
