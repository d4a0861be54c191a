import { z } from "zod";
import { WIRE_KINDS } from "../wire/wire-kind.ts";
import { DEFAULT_WIRE } from "./default-wire.ts";
import {
  addressRange,
  count,
  duration,
  headers,
  listenHost,
  milliseconds,
  plainName,
  planFigures,
  port,
  positive,
  text,
  urlOf,
} from "./leaves.ts";
import { network } from "./network-schema.ts";
import { mergePlans } from "./plans.ts";
import { storage } from "./storage.ts";

const webUrl = urlOf(["http", "https"], "write it as https://host or http://host:port")
  .refine((value) => !/[?#@]/.test(value), "holds more than host and path; leave the rest out")
  .transform((value) => value.replace(/\/+$/, ""));

const server = z.strictObject({
  wire: z.enum(WIRE_KINDS).default(DEFAULT_WIRE),
  host: listenHost.default("127.0.0.1"),
  port: port.default(8545),
  workers: positive.default(1),
  publicUrl: webUrl.optional(),
  tls: z.strictObject({ cert: text, key: text }).optional(),
  trustProxy: z.array(addressRange).default([]),
  keepAliveMs: milliseconds.default(65_000),
  shutdownTimeoutMs: milliseconds.default(10_000),
  maxConnections: positive.optional(),
  maxConnectionsPerAddress: positive.optional(),
  memoryBytes: z
    .int()
    .min(134_217_728, "is too little; at least 134217728 (128 MiB) are needed")
    .optional(),
  websocket: z
    .strictObject({
      maxCallsInAir: positive.default(1000),
      maxConnectionsPerKey: positive.default(1000),
    })
    .prefault({}),
});

const admin = z.strictObject({
  host: listenHost.default("127.0.0.1"),
  port: port.default(9545),
  token: z
    .string()
    .regex(
      /^[\x21-\x7e]{32,}$/,
      "is no token; at least 32 random characters are needed, as `openssl rand -hex 32` gives",
    )
    .optional(),
});

const console = z.strictObject({
  host: listenHost.default("127.0.0.1"),
  port: port.default(7545),
  publicUrl: webUrl.optional(),
  signup: z.enum(["open", "invite", "closed"]).default("invite"),
  signupPlan: z.string().default("free"),
  secret: text.optional(),
  privateWebhooks: z.boolean().default(false),
});

const mail = z.strictObject({
  url: urlOf(["smtp", "smtps"], "write it as smtp://user:password@host:port, or smtps://…"),
  from: z.string().regex(/^[^@\s<>]+@[^@\s<>]+$/, "is no sender's address; write it as name@host"),
});

const keep = z.strictObject({
  minutes: duration.prefault("2d"),
  hours: duration.prefault("90d"),
  days: duration.prefault("2y"),
});

const cache = z.strictObject({
  memoryBytes: count.default(268_435_456),
  disk: z.strictObject({ path: text, maxBytes: positive.default(10_737_418_240) }).optional(),
});

const requestLog = z.strictObject({
  path: text,
  ratio: z.number().min(0).max(1).default(1),
  params: z.boolean().default(false),
});

const traces = z.strictObject({
  url: webUrl,
  ratio: z.number().min(0).max(1).default(0.01),
  slowMs: milliseconds.default(1000),
  headers: headers.default({}),
});

/** The whole file. What a part does not name has its default, save where absence means "off". */
export const configSchema = z.strictObject({
  server: server.prefault({}),
  admin: admin.optional(),
  console: console.optional(),
  mail: mail.optional(),
  storage: storage.prefault({}),
  keys: z
    .strictObject({ pepper: text.optional(), memoryBytes: positive.default(268_435_456) })
    .prefault({}),
  usage: z.strictObject({ keep: keep.prefault({}) }).prefault({}),
  fleet: z.strictObject({ name: text.optional() }).prefault({}),
  cache: cache.prefault({}),
  log: z
    .strictObject({
      level: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
    })
    .prefault({}),
  requestLog: requestLog.optional(),
  traces: traces.optional(),
  plans: z.record(plainName, planFigures).prefault({}).transform(mergePlans),
  networks: z.array(network).min(1),
});

/** A checked file with its defaults filled in: paths absolute, durations in milliseconds. */
export type Config = z.output<typeof configSchema>;

/** The JSON Schema of the file as people write it, before variables and defaults. */
export function configJsonSchema(): JsonSchema {
  return z.toJSONSchema(configSchema, {
    io: "input",
    override: ({ jsonSchema }) => {
      allowVariable(jsonSchema);
      allowProvider(jsonSchema);
    },
  }) as JsonSchema;
}

/** As much of JSON Schema as this file's own consists of. */
export type JsonSchema = {
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
};

/** An upstream's `url` is left out where `provider` stands in its place. */
function allowProvider(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.properties?.["provider"] === undefined) return;
  schema.required = schema.required?.filter((name) => name !== "url") ?? [];
}

/** An editor must not refuse `port: "${PORT}"`: a variable may stand for any kind of value. */
function allowVariable(schema: z.core.JSONSchema.BaseSchema): void {
  const { default: fallback, ...leaf } = schema;
  const strict = leaf.enum !== undefined || leaf.pattern !== undefined;
  if (!strict && !["integer", "number", "boolean"].includes(String(leaf.type))) return;
  for (const key of Object.keys(leaf)) delete schema[key];
  schema.anyOf = [leaf, { type: "string", pattern: "\\$\\{" }];
}
