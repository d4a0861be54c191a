import type { Rig } from "./support.ts";

export type JsonSchema = {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly format?: string;
  readonly examples?: readonly string[];
};

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: JsonSchema;
};

type Media = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

/** An operation of the document, with where it stands. */
export type Operation = {
  readonly operationId: string;
  readonly method: string;
  /** With `{name}` for its parameters. */
  readonly path: string;
  readonly "x-access": "public" | "user" | "member" | "owner" | "operator";
  readonly "x-audit"?: readonly string[];
  /** The name of a scheme, and the scope that it needs. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Media };
  readonly responses: Readonly<Record<string, { readonly content?: Media }>>;
};

/** What the console itself says of its routes. */
export async function operationsOf(rig: Rig): Promise<Operation[]> {
  const reply = await rig.nobody.get("/api/openapi.json");
  const { paths } = reply.json() as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** A query that has what the operation cannot do without. */
export function smallestQuery({ parameters }: Operation): string {
  const needed = parameters.filter((one) => one.in === "query" && one.required);
  const query = new URLSearchParams();
  for (const { name, schema } of needed) query.set(name, String(smallest(schema)));
  return String(query);
}

export function bodySchema({ requestBody }: Operation): JsonSchema | undefined {
  return requestBody?.content["application/json"]?.schema;
}

export function isStream({ responses }: Operation): boolean {
  return responses["200"]?.content?.["text/event-stream"] !== undefined;
}

/** `/api/accounts/{account}` with these values. */
export function urlOf({ path }: Pick<Operation, "path">, values: Readonly<Record<string, string>>) {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
}

/** The smallest value that a schema takes. */
export function smallest(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return smallest(schema.anyOf.at(-1) ?? {});
  switch (schema.type) {
    case "object": {
      const { properties = {}, required = [] } = schema;
      return Object.fromEntries(required.map((name) => [name, smallest(properties[name] ?? {})]));
    }
    case "array":
      return [];
    case "string":
      return "x".repeat(schema.minLength ?? 1);
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return true;
    default:
      return null;
  }
}
