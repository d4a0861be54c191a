import type { JsonObject, JsonValue } from "../../../jsonrpc/value.ts";
import type { Param } from "../../definition.ts";
import { commitment, context, leastConfirmed } from "./commitment.ts";
import { type Struct, struct, unsigned } from "./serde.ts";
import { SerdeFault, textOf } from "./serde-fault.ts";

const slotNumber = unsigned("u64");

/** A config, always the last parameter; an empty one is not sent. */
export function config(description: Struct): Param {
  const read = struct(description);
  return Object.freeze({
    name: "config",
    want: wantOf(description),
    role: "config",
    required: false,
    check: (value) => whenAny(read(value)),
  } satisfies Param);
}

const whenAny = (read: JsonObject): JsonObject | null => (read.size === 0 ? null : read);

const wantOf = ({ fields }: Struct): string =>
  `an object with any of the keys ${Object.keys(fields).toSorted().join(", ")}`;

/**
 * A config for which nodes also take the encoding alone, as a string. Their words for any fault in
 * it say nothing of the fault, so what it is follows. `complete` adds what is sent explicitly.
 */
export function encodingConfig(
  description: Struct,
  complete: (read: JsonObject) => JsonObject | null = whenAny,
): Param {
  const read = struct(description);
  return Object.freeze({
    name: "config",
    want: `${wantOf(description)}, or the encoding alone`,
    role: "config",
    required: false,
    check: (value) => {
      const given = typeof value === "string" ? new Map([["encoding", value]]) : value;
      return complete(unmatched("RpcEncodingConfigWrapper", () => read(given)));
    },
  } satisfies Param);
}

/** The value that `read` gives; its faults in the words of an untagged enum, and then in its own. */
function unmatched<T extends JsonValue>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof SerdeFault)) throw cause;
    const words = new SerdeFault(`data did not match any variant of untagged enum ${name}`);
    const { message, at, hint } = cause;
    const place = at === "" ? "" : `At ${at}: `;
    const right = hint === undefined ? "" : ` Want ${hint}.`;
    const text = `${textOf(words)} ${place}${message}.${right}`;
    throw new SerdeFault(text, { whole: true, cause });
  }
}

/** A slot in whose place the config may stand; `wrapper` is agave's name for the two. */
export const slotOrConfig = (name: string, wrapper: string): Param =>
  Object.freeze({
    name,
    want: "an integer from 0 to 2^64-1",
    required: false,
    placeholder: null,
    check: (value) => unmatched(wrapper, () => slotNumber(value)),
  } satisfies Param);

/** Brings a config that stands in the place of a slot behind it (web3.js sends that of getBlocks so). */
export const configInPlace =
  (place: number) =>
  (given: readonly JsonValue[]): readonly JsonValue[] => {
    const config = given[place];
    const isAlone = (given[place + 1] ?? null) === null && given.length <= place + 2;
    return config instanceof Map && isAlone ? [...given.slice(0, place), null, config] : given;
  };

export const contextParam: Param = config({ name: "RpcContextConfig", fields: context });

/** The same for a method that reads blocks. */
export const blocksContextParam: Param = config({
  name: "RpcContextConfig",
  fields: { ...context, commitment: leastConfirmed },
});

/** For methods whose nodes take nothing but a commitment. */
export const commitmentParam: Param = config({
  name: "CommitmentConfig",
  fields: { commitment },
});
