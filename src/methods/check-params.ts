import type { JsonValue } from "../jsonrpc/value.ts";
import type { Definition, Param } from "./definition.ts";
import { ParamFault } from "./params/param-fault.ts";

const NONE: readonly JsonValue[] = Object.freeze([]);

/** A family's words, those of its nodes, for what is wrong with a list of params. */
export type ParamsWording = {
  /** Whether its nodes look at how many there are before they look at any. */
  readonly lengthFirst: boolean;
  readonly notArray: (wanted: readonly Param[]) => string;
  /** `given` of the required ones are there. */
  readonly tooFew: (wanted: readonly Param[], given: number) => string;
  readonly tooMany: (wanted: readonly Param[], given: number) => string;
  /** The whole text for what a parameter's check threw. */
  readonly wrong: (fault: ParamFault, param: Param, place: number) => string;
};

export type CheckOptions = {
  /** Enforces each "required" of the specification (`strictParams` of a network). */
  readonly strict: boolean;
  readonly wording: ParamsWording;
};

/**
 * The positional list that is sent to a node, in canonical form, so that equal calls are the same
 * text. What one node would refuse, or read otherwise than another, is refused here.
 * @throws ParamFault with the whole text for the client; the node's words first
 */
export function checkParams(
  definition: Definition,
  params: JsonValue | undefined,
  { strict, wording }: CheckOptions,
): readonly JsonValue[] {
  const wanted = definition.params;
  const listed = params ?? NONE;
  if (!Array.isArray(listed)) throw new ParamFault(wording.notArray(wanted));
  const given = definition.arrange?.(listed) ?? listed;
  const isRequired = ({ required }: Param) =>
    required === true || (strict && required === "strict");
  if (wording.lengthFirst) {
    const least = wanted.findLastIndex(isRequired) + 1;
    if (given.length < least) throw new ParamFault(wording.tooFew(wanted, given.length));
    if (given.length > wanted.length) throw new ParamFault(wording.tooMany(wanted, given.length));
  }
  const sent: JsonValue[] = [];
  const end = lastGiven(given);
  for (let place = 0; place < wanted.length; place += 1) {
    const param = wanted[place] as Param;
    const value = given[place];
    const required = isRequired(param);
    if (value === undefined && required) throw new ParamFault(wording.tooFew(wanted, place));
    if (value != null || required) {
      sent.push(checked(param, value ?? null, { place, strict, wording }));
      continue;
    }
    const instead = param.fallback ?? (place < end ? param.placeholder : undefined);
    if (instead === undefined) break;
    sent.push(instead);
  }
  if (given.length > wanted.length) throw new ParamFault(wording.tooMany(wanted, given.length));
  while (sent.at(-1) === null) sent.pop();
  definition.verify?.(sent);
  return sent;
}

/** The place of the last parameter that is not null, -1 for none. */
function lastGiven(given: readonly JsonValue[]): number {
  let place = given.length - 1;
  while (place >= 0 && given[place] === null) place -= 1;
  return place;
}

function checked(
  param: Param,
  value: JsonValue,
  { place, strict, wording }: CheckOptions & { readonly place: number },
): JsonValue {
  try {
    return param.check(value, strict);
  } catch (cause) {
    if (!(cause instanceof ParamFault)) throw cause;
    throw new ParamFault(wording.wrong(cause, param, place), { cause });
  }
}
