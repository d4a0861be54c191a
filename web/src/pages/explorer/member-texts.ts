import type { MethodParam, ParamMember } from "../../../../src/console/contract/session.ts";
import { capitalised, inWords } from "../../format.ts";
import { encode, kindOf, textOf } from "./param-texts.ts";

/** The texts of an object's members, by their names; what is not entered is absent. */
export type MemberTexts = Readonly<Record<string, string>>;

/**
 * A parameter's text as texts of its members: undefined where it is no object, or has members that the
 * form does not.
 */
export function readMembers({ members }: MethodParam, text: string): MemberTexts | undefined {
  const value = objectOf(text);
  if (value === undefined) return undefined;
  const named = new Map(members.map((member) => [member.name, member]));
  const texts: Record<string, string> = {};
  for (const [name, each] of Object.entries(value)) {
    const member = named.get(name);
    if (member === undefined) return undefined;
    texts[name] = textOf(kindOf(member), each);
  }
  return texts;
}

function objectOf(text: string): object | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value : undefined;
  } catch {
    return undefined;
  }
}

export type WrittenMembers = {
  /** The parameter's text: JSON, or nothing where nothing is entered. */
  readonly text: string;
  /** By the members' names. */
  readonly faults: MemberTexts;
};

/** In the order of the parameter's members. What is faulty stands in it as it was typed. */
export function writeMembers({ members }: MethodParam, texts: MemberTexts): WrittenMembers {
  const value: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const member of members) {
    const text = texts[member.name] ?? "";
    const encoded = encode(kindOf(member), text);
    if (encoded === undefined) continue;
    if ("fault" in encoded) faults[member.name] = encoded.fault;
    value[member.name] = "value" in encoded ? encoded.value : text;
  }
  const isEmpty = Object.keys(value).length === 0;
  return { text: isEmpty ? "" : JSON.stringify(value, undefined, 2), faults };
}

/** What a member is called in a form: `fromBlock` as `From block`. */
export function labelOf({ name }: ParamMember): string {
  return capitalised(inWords(name));
}
