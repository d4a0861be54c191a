import { z } from "zod";
import { ALLOW_KINDS } from "../../storage/store.ts";
import { EMAIL_MAX_LENGTH } from "./constants.ts";

/** Ids are not checked for their form: what is none is unknown, as any other unknown one. */
export const id = (kind: "acc" | "key" | "mem" | "tok" | "aud" | "del") =>
  z.string().meta({ description: `an id, ${kind}_…` });

/** ISO 8601, UTC. */
export const time = z.iso.datetime();
/** A UTC day: `2026-11-21`. */
export const day = z.iso.date();
/** Credits, calls, bytes. */
export const whole = z.int().min(0);

/** Beyond every plan, and far enough from 2^53 that sums of them stay exact. */
export const credits = z.int().min(1).max(1_000_000_000_000);

export const email = z
  .string()
  .min(3)
  .max(EMAIL_MAX_LENGTH)
  .meta({ examples: ["ada@example.com"] });

/** Credits per UTC day and per second; null: no limit of its own. */
export const limits = z.object({
  creditsPerDay: whole.nullable(),
  creditsPerSecond: whole.nullable(),
});
export type LimitsView = z.output<typeof limits>;

/** A limit that is not named stays as it is; null takes it away. */
export const limitChanges = z.strictObject({
  creditsPerDay: credits.nullable().optional(),
  creditsPerSecond: credits.nullable().optional(),
});
export type LimitChanges = z.output<typeof limitChanges>;

export const allowKind = z.enum(ALLOW_KINDS);

const listOf = <Kind extends string>(kinds: readonly Kind[], entry: z.ZodString) =>
  Object.fromEntries(kinds.map((kind) => [kind, z.array(entry).exactOptional()])) as Record<
    Kind,
    z.ZodExactOptional<z.ZodArray<z.ZodString>>
  >;

/** As it is stored: canonical entries. */
export const allowLists = z.object(listOf(ALLOW_KINDS, z.string()));
export type AllowListsView = z.output<typeof allowLists>;
/** As somebody writes it; entries are checked and made canonical. */
export const allowChanges = z.strictObject(listOf(ALLOW_KINDS, z.string().max(1000)));

/** Where a list goes on: the `next` of its page before. */
export const pageQuery = z.strictObject({
  after: z.string().min(1).max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.string().nullable() });

/** A list as a whole. */
export const listReply = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item) });

export const nothing = z.strictObject({});
export const noContent = z.undefined();

export const accountParams = z.object({ account: id("acc") });

export const errorCode = z.enum([
  "bad_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "conflict",
  "too_many",
  "unavailable",
  "internal",
]);
export type ErrorCode = z.output<typeof errorCode>;

/** The body of every answer from 400 on. */
export const errorBody = z.object({
  error: z.object({
    code: errorCode,
    /** The fault and the right form, for people. */
    message: z.string(),
    /** The part of the request that was wrong: `body.name`. */
    field: z.string().optional(),
  }),
});
export type ErrorBody = z.output<typeof errorBody>;
