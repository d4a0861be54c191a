import type { JsonValue } from "../jsonrpc/value.ts";
import type { Definition, Param } from "./definition.ts";
import { ParamFault } from "./params/param-fault.ts";

const NONE: readonly JsonValue[] = Object.freeze([]);

/**
 * The positional list that is sent to a node, in canonical form, so that equal calls are the same
 * text. What one node would refuse, or read otherwise than another, is refused here. `strict` enforces
 * each "required" of the specification (`strictParams` of a network).
 * @throws ParamFault with the whole text for the client; go-ethereum's words first
 */
export function checkParams(
  definition: Definition,
  params: JsonValue | undefined,
  strict: boolean,
): readonly JsonValue[] {
  const given = params ?? NONE;
  if (!Array.isArray(given)) throw new ParamFault("non-array args");
  const wanted = definition.params;
  const sent: JsonValue[] = [];
  const end = lastGiven(given);
  for (let place = 0; place < wanted.length; place += 1) {
    const param = wanted[place] as Param;
    const value = given[place];
    const required = param.required === true || (strict && param.required === "strict");
    if (value === undefined && required) {
      throw new ParamFault(`missing value for required argument ${place}; want ${param.want}`);
    }
    if (value != null || required) {
      try {
        sent.push(param.check(value ?? null, strict));
      } catch (cause) {
        throw explain(cause, param, place);
      }
      continue;
    }
    const instead = param.fallback ?? (place < end ? param.placeholder : undefined);
    if (instead === undefined) break;
    sent.push(instead);
  }
  if (given.length > wanted.length) {
    throw new ParamFault(`too many arguments, want at most ${wanted.length}`);
  }
  return sent;
}

/** The place of the last parameter that is not null, -1 for none. */
function lastGiven(given: readonly JsonValue[]): number {
  let place = given.length - 1;
  while (place >= 0 && given[place] === null) place -= 1;
  return place;
}

/** The client's text for what a parameter's check threw: the node's words, then what would be right. */
function explain(cause: unknown, param: Param, place: number): unknown {
  if (!(cause instanceof ParamFault)) return cause;
  const prefix = cause.whole ? "" : `invalid argument ${place}: `;
  return new ParamFault(`${prefix}${cause.message}; want ${param.want}`, { cause });
}
