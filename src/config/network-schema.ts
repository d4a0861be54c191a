import { z } from "zod";
import {
  count,
  headers,
  hostName,
  localUrl,
  milliseconds,
  networkName,
  plainName,
  positive,
  text,
  urlOf,
} from "./leaves.ts";
import { METHOD_GROUPS } from "./method-groups.ts";
import { PROVIDER_NAMES } from "./providers.ts";

const HTTP_FORM = "write it as http://host:port or https://host/path";
const httpUrl = urlOf(["http", "https"], HTTP_FORM);

const FILE_URL = localUrl("file");

/** A ledger of files stands beside nodes as an upstream, on slot networks alone. */
const slotUrl = z
  .string()
  .refine(
    (value) => httpUrl.safeParse(value).success || FILE_URL.test(value),
    `is no URL that can be used here; ${HTTP_FORM}, or file:PATH for a ledger of files`,
  );

const wsUrl = urlOf(["ws", "wss"], "write it as ws://host:port or wss://host/path").optional();

const tls = z
  .strictObject({ cert: text.optional(), key: text.optional(), ca: text.optional() })
  .refine(
    ({ cert, key }) => (cert === undefined) === (key === undefined),
    "has one of cert and key; a client's certificate needs both",
  );

/** In the units of whoever bills them. */
const cost = z.strictObject({
  perCall: count,
  methods: z.record(text, count).default({}),
  monthly: positive.optional(),
});

const upstream = {
  name: plainName,
  // Made into `url` before the file is checked.
  provider: z.enum(PROVIDER_NAMES).optional(),
  key: text.optional(),
  network: text.optional(),
  role: z.enum(["primary", "partner"]).default("primary"),
  headers: headers.default({}),
  maxConnections: positive.default(64),
  requestsPerSecond: z.number().positive().optional(),
  lacks: z.array(text).default([]),
  archive: z
    .union([z.boolean(), z.literal("auto")], "is none of true, false and auto")
    .default("auto"),
  batch: count.max(1000).default(0),
  cost: cost.optional(),
  tls: tls.optional(),
  proxy: urlOf(["http"], "write it as http://host:port").optional(),
};

const shared = {
  name: networkName,
  hosts: z.array(hostName).default([]),
  timeoutMs: milliseconds.default(8000),
  maxResponseBytes: positive.default(67_108_864),
  confirmations: positive.default(1),
  hedgeShare: z.number().min(0).max(1).default(0.1),
  partnerCaps: z.strictObject({ day: count.optional(), month: count.optional() }).optional(),
};

const evm = z.strictObject({
  ...shared,
  family: z.literal("evm"),
  chainId: positive.optional(),
  window: positive.optional(),
  finalTotalDifficulty: z
    .string()
    .regex(/^0x(0|[1-9a-fA-F][0-9a-fA-F]*)$/, 'is no quantity; write it in quotes, as "0x1f"')
    .optional(),
  strictParams: z.boolean().default(false),
  unknownKeys: z.enum(["pass", "refuse"]).default("pass"),
  pendingBlock: z.enum(["documented", "node"]).default("documented"),
  signatures: z.enum(["node", "padded"]).default("node"),
  pendingTransactions: z.boolean().default(false),
  groups: z.array(z.enum(METHOD_GROUPS)).default([]),
  upstreams: z
    .array(
      z.strictObject({
        ...upstream,
        url: urlOf(["http", "https"], `${HTTP_FORM} (file: is for slot networks)`),
        ws: wsUrl,
      }),
    )
    .min(1),
});

const slot = z.strictObject({
  ...shared,
  family: z.literal("slot"),
  genesisHash: z
    .string()
    .regex(
      /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
      "is no hash; write it in base58, as getGenesisHash does",
    )
    .optional(),
  upstreams: z.array(z.strictObject({ ...upstream, url: slotUrl, ws: wsUrl })).min(1),
});

export const network = z.discriminatedUnion("family", [evm, slot]);

export type EvmNetworkConfig = z.output<typeof evm>;
export type SlotNetworkConfig = z.output<typeof slot>;
export type NetworkConfig = z.output<typeof network>;
