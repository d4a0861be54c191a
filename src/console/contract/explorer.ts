import { z } from "zod";
import { accountParams, id, whole } from "./common.ts";
import { defineRoute } from "./route.ts";

export const explorerBody = z.strictObject({
  network: z
    .string()
    .min(1)
    .max(100)
    .meta({ examples: ["mainnet"] }),
  method: z
    .string()
    .min(1)
    .max(100)
    .meta({ examples: ["eth_blockNumber"] }),
  params: z.array(z.unknown()).max(100),
});
export type ExplorerBody = z.output<typeof explorerBody>;

export const explorerReply = z.object({
  /** The HTTP status. */
  status: z.int(),
  /** As it was sent: the body. */
  request: z.string(),
  /** As it came: the body, its first MiB. */
  answer: z.string(),
  /** Whether the answer went on. */
  cut: z.boolean(),
  /** The credits that were charged. */
  credits: whole,
  ms: z.number().min(0),
  /** The number of the block that a tag was resolved to, decimal. */
  block: z.string().nullable(),
  servedBy: z.string().nullable(),
  /** The id of the key that the call was made with. */
  key: id("key"),
});
export type ExplorerReply = z.output<typeof explorerReply>;

const watched = z.object({
  /** As it came: a message, its first MiB. */
  message: z.string(),
});
export type Watched = z.output<typeof watched>;

/** Why nothing more comes. */
const watchEnd = z.object({ reason: z.string() });
export type WatchEnd = z.output<typeof watchEnd>;

export const watch = defineRoute({
  id: "watch",
  method: "POST",
  url: "/api/accounts/:account/explorer/watch",
  access: "member",
  summary:
    "Server-sent events `message` of a subscription through the gateway, charged as any other, and `end`",
  params: accountParams,
  body: explorerBody,
  status: 200,
  reply: z.object({ message: watched, end: watchEnd }),
  stream: "events",
  audit: ["key.create"],
});

export const explore = defineRoute({
  id: "explore",
  method: "POST",
  url: "/api/accounts/:account/explorer",
  access: "member",
  summary: "Makes a call through the gateway, charged as any other, and shows all of it",
  params: accountParams,
  body: explorerBody,
  status: 200,
  reply: explorerReply,
  // The account's own key of the explorer is made when it is first needed.
  audit: ["key.create"],
});
