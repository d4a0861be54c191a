import type { Definition, Param } from "./definition.ts";

/** Every member, given or not. */
type Whole<T> = { readonly [Name in keyof Required<T>]: T[Name] };

/**
 * The same definition with every member in its place, those it does without as undefined. V8 finds a
 * member of objects that were made alike by its place, and looks it up by its name where there are
 * more than four ways in which they were made: a call that a node answers reads some thirty.
 */
export function alike(definition: Definition): Definition {
  const whole: Whole<Definition> = {
    method: definition.method,
    result: definition.result,
    params: Object.freeze(definition.params.map(alikeParam)),
    places: definition.places,
    arrange: definition.arrange,
    verify: definition.verify,
    credits: definition.credits,
    group: definition.group,
    cache: definition.cache,
    state: definition.state,
    lookup: definition.lookup,
    unknownBlock: definition.unknownBlock,
    answerBlock: definition.answerBlock,
    echoes: definition.echoes,
    shows: definition.shows,
    forNode: definition.forNode,
    answerSlot: definition.answerSlot,
    shape: definition.shape,
    needsHead: definition.needsHead,
    local: definition.local,
    own: definition.own,
    instead: definition.instead && {
      ...definition.instead,
      definition: alike(definition.instead.definition),
    },
    kindOf: definition.kindOf,
  };
  return Object.freeze(whole) as Definition;
}

function alikeParam(param: Param): Param {
  const whole: Whole<Param> = {
    name: param.name,
    want: param.want,
    role: param.role,
    required: param.required,
    fallback: param.fallback,
    placeholder: param.placeholder,
    example: param.example,
    members: param.members,
    check: param.check,
  };
  return Object.freeze(whole) as Param;
}
