/** Its text is written as it stands: a number that JavaScript's own cannot tell apart. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonNumber
  | readonly Json[]
  | { readonly [key: string]: Json };

/** JSON without spaces, members in alphabetical order as a node writes them, integers of any size. */
export function orderedJson(value: Json): string {
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === "bigint") return value.toString();
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(orderedJson).join(",")}]`;
  const members = Object.entries(value as { readonly [key: string]: Json })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${orderedJson(member)}`);
  return `{${members.join(",")}}`;
}
