import type { Param, ParamExample } from "./definition.ts";

/**
 * Params to begin with: a right value for each that has to be given. Undefined where one of them is known to
 * nobody but the caller, such as a filter's id.
 */
export function exampleOf(params: readonly Param[]): readonly ParamExample[] | undefined {
  const needed = params.filter(({ required }) => required !== false);
  const examples = needed.flatMap(({ example }) => (example === undefined ? [] : [example]));
  return examples.length === needed.length ? examples : undefined;
}
