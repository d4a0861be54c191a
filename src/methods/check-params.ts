import type { JsonValue } from "../jsonrpc/value.ts";
import type { Definition, Param, ParamChoices } from "./definition.ts";
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

/** The choices of a network with which its calls are checked. */
export type CheckOptions = ParamChoices & { readonly wording: ParamsWording };

/**
 * The positional list that is sent to a node, in canonical form, so that equal calls are the same
 * text. What one node would refuse, or read otherwise than another, is refused here.
 * @throws ParamFault with the whole text for the client; the node's words first
 */
export function checkParams(
  definition: Definition,
  params: JsonValue | undefined,
  options: CheckOptions,
): readonly JsonValue[] {
  const { strict, wording } = options;
  const wanted = definition.params;
  const listed = params ?? NONE;
  if (!Array.isArray(listed)) throw new ParamFault(wording.notArray(wanted));
  const given: readonly JsonValue[] = definition.arrange?.(listed) ?? listed;
  if (wording.lengthFirst) {
    const least = wanted.findLastIndex((param) => isRequired(param, strict)) + 1;
    if (given.length < least) throw new ParamFault(wording.tooFew(wanted, given.length));
    if (given.length > wanted.length) throw new ParamFault(wording.tooMany(wanted, given.length));
  }
  const sent = withoutLastNulls(canonical(wanted, given, options));
  if (given.length > wanted.length) throw new ParamFault(wording.tooMany(wanted, given.length));
  definition.verify?.(sent);
  return sent;
}

/** Each param as it is sent: what was given itself, for as long as that is canonical as it came. */
function canonical(
  wanted: readonly Param[],
  given: readonly JsonValue[],
  options: CheckOptions,
): readonly JsonValue[] {
  const { strict, wording } = options;
  let sent: JsonValue[] | undefined;
  let place = 0;
  const end = lastGiven(given);
  try {
    // By index: an iterator takes longer than the checks.
    for (; place < wanted.length; place += 1) {
      const param = wanted[place] as Param;
      const value = place < given.length ? given[place] : undefined;
      const required = isRequired(param, strict);
      if (value === undefined && required) break;
      const checked =
        value != null || required
          ? param.check(value ?? null, options)
          : (param.fallback ?? (place < end ? param.placeholder : undefined));
      if (checked === undefined) break;
      if (checked !== value) sent ??= given.slice(0, place);
      sent?.push(checked);
    }
  } catch (cause) {
    if (!(cause instanceof ParamFault)) throw cause;
    throw new ParamFault(wording.wrong(cause, wanted[place] as Param, place), { cause });
  }
  const next = wanted[place];
  if (next !== undefined && place >= given.length && isRequired(next, strict)) {
    throw new ParamFault(wording.tooFew(wanted, place));
  }
  return sent ?? (place < given.length ? given.slice(0, place) : given);
}

/** An optional parameter that says nothing, at the end, is not sent. */
function withoutLastNulls(params: readonly JsonValue[]): readonly JsonValue[] {
  const end = lastGiven(params) + 1;
  return end === params.length ? params : params.slice(0, end);
}

function isRequired({ required }: Param, strict: boolean): boolean {
  return required === true || (strict && required === "strict");
}

/** The place of the last parameter that is not null, -1 for none. */
function lastGiven(given: readonly JsonValue[]): number {
  let place = given.length - 1;
  while (place >= 0 && given[place] === null) place -= 1;
  return place;
}
