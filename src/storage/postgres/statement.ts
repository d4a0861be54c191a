/** A value of a statement. Arrays are PostgreSQL's arrays. */
type Value = string | number | null | readonly (string | number | null)[];
export type Values = Readonly<Record<string, Value>>;

/** A statement as it is sent. */
export type Statement = { readonly text: string; readonly values: readonly Value[] };

/**
 * Statements in which `:name` is a value and `@name` is a table or function of the schema. Names are
 * qualified since a search path would be state of a session, which a pooler gives to somebody else.
 */
export class Statements {
  readonly #schema: string;
  /** Each text is taken apart once. */
  readonly #known = new Map<string, { readonly text: string; readonly names: readonly string[] }>();

  constructor(schema: string) {
    this.#schema = quoted(schema);
  }

  /** The text alone: it may be of several statements, without values. */
  script(sql: string): string {
    return sql.replaceAll(/@(\w+)/g, `${this.#schema}.$1`);
  }

  /** @throws where a value is missing */
  of(sql: string, values: Values): Statement {
    let known = this.#known.get(sql);
    if (known === undefined) {
      known = numbered(this.script(sql));
      this.#known.set(sql, known);
    }
    return { text: known.text, values: known.names.map((name) => sendable(values[name], name)) };
  }
}

/** An identifier as SQL takes any name. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function numbered(sql: string): { text: string; names: string[] } {
  const names: string[] = [];
  // Not of a cast, which has two colons.
  const text = sql.replaceAll(/(?<!:):([a-zA-Z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text, names };
}

function sendable(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`a statement has no value for ${name}`);
  if (typeof value === "string") return withoutZeros(value);
  if (typeof value === "object" && value !== null) {
    return value.map((each) => (typeof each === "string" ? withoutZeros(each) : each));
  }
  return value;
}

/** PostgreSQL has no zero byte in a text: what holds one is kept, and searched for, with a mark in its place. */
export const withoutZeros = (text: string): string =>
  text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;
