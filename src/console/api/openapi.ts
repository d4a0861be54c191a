import { z } from "zod";
import { errorBody } from "../contract/common.ts";
import type { RouteContract } from "../contract/route.ts";

/** As much of JSON Schema as this file looks at. */
type Schema = {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
};

const MEDIA = { events: "text/event-stream", json: "application/json", csv: "text/csv" };

/** A person's session, and a program's API token; behind the latter an operation names the scope. */
const SECURITY = {
  session: {
    ...{ type: "apiKey", in: "cookie", name: "tollgate.session_token" },
    description: "of a person who is signed in; over TLS its name begins with __Secure-",
  },
  token: { type: "http", scheme: "bearer", bearerFormat: "tgt_…" },
};

/**
 * The OpenAPI document (3.1) of a table of routes. `x-access` says who may ask, `x-audit` what the
 * audit log may say of it.
 */
export function openApiDocument(
  routes: readonly RouteContract[],
  info: { readonly title: string; readonly version: string },
): { openapi: string; [part: string]: unknown } {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, "{$1}");
    const operations = paths[path] ?? {};
    operations[route.method.toLowerCase()] = operation(route);
    paths[path] = operations;
  }
  return { openapi: "3.1.0", info, paths, components: { securitySchemes: SECURITY } };
}

function operation(route: RouteContract): Record<string, unknown> {
  const { id, summary, access, scope, audit, body } = route;
  return {
    operationId: id,
    summary,
    "x-access": access,
    ...(access !== "public" && {
      security: [{ session: [] }, ...(scope === undefined ? [] : [{ token: [scope] }])],
    }),
    ...(audit && { "x-audit": audit }),
    parameters: [...parameters(route.params, "path"), ...parameters(route.query, "query")],
    ...(body && {
      requestBody: {
        required: true,
        content: { [MEDIA.json]: { schema: schemaOf(body, "input") } },
      },
    }),
    responses: {
      [route.status]: { description: "done", ...content(route) },
      default: {
        description: "what was wrong, and what would be right",
        content: { [MEDIA.json]: { schema: schemaOf(errorBody, "output") } },
      },
    },
  };
}

function parameters(schema: z.ZodObject | undefined, place: "path" | "query"): unknown[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, "input");
  return Object.entries(properties).map(([name, part]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: part,
  }));
}

function content({ status, reply, stream }: RouteContract): Record<string, unknown> {
  if (status === 204) return {};
  const schema = schemaOf(reply, "output");
  if (stream === "events") return { content: { [MEDIA.events]: { schema } } };
  if (stream === undefined) return { content: { [MEDIA.json]: { schema } } };
  const list = { type: "array", items: schema };
  return { content: { [MEDIA.csv]: {}, [MEDIA.json]: { schema: list } } };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest as Schema;
}
