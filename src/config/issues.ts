import type { z } from "zod";
import type { Path } from "./faults.ts";
import { member, unknownKeyMessage } from "./known-keys.ts";
import type { JsonSchema } from "./schema.ts";
import type { Finding } from "./source.ts";

type Issue = z.core.$ZodIssue;

const KINDS: Readonly<Record<string, string>> = Object.freeze({
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "a group of keys",
  record: "a group of keys",
  string: "text",
});

/** The findings of one zod issue, in words that show no value of the file. */
export function findingsOf(issue: Issue, schema: JsonSchema, root: unknown): Finding[] {
  const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  if (issue.code !== "unrecognized_keys") return [{ path, message: messageOf(issue, root, path) }];
  return issue.keys.map((key) => {
    const inner = [...path, key];
    return { path: inner, message: unknownKeyMessage(schema, root, inner) };
  });
}

function messageOf(issue: Issue, root: unknown, path: Path): string {
  switch (issue.code) {
    case "invalid_type":
      return typeMessage(KINDS[issue.expected] ?? issue.expected, at(root, path));
    case "invalid_value": {
      if (at(root, path) === undefined) return `is missing; choose one of ${list(issue.values)}`;
      return `is not one of ${list(issue.values)}`;
    }
    case "too_small": {
      if (issue.origin === "string") return "is empty";
      if (issue.origin === "array") return "is an empty list; at least one is needed";
      return `is too small; it must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
    }
    case "too_big":
      return `is too large; it may be at most ${issue.maximum}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.message; // the schema's own words
  }
}

function typeMessage(wanted: string, value: unknown): string {
  if (value === undefined) return `is missing; ${wanted} is needed`;
  if (value === null) return `has no value; ${wanted} is needed`;
  const quotes = wanted === "text" && typeof value !== "object" ? "; put it in quotes" : "";
  return `is ${kindOf(value)}, where ${wanted} is needed${quotes}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" && Number.isFinite(value)) {
    return Number.isInteger(value) ? "a number" : "a fraction";
  }
  return KINDS[typeof value] ?? "something else";
}

const list = (values: readonly unknown[]): string => values.join(", ");

/** The value at a path of the file, undefined where there is none. */
export function at(root: unknown, path: Path): unknown {
  return path.reduce(member, root);
}

/** The paths of a list's items, none where there is no list. */
export function items(root: unknown, path: Path): Path[] {
  const value = at(root, path);
  return Array.isArray(value) ? value.map((_, index) => [...path, index]) : [];
}
