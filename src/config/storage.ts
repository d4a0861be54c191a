import { z } from "zod";
import { localUrl, milliseconds, positive, text } from "./leaves.ts";

/** Of PostgreSQL alone. */
export const POSTGRES_DEFAULTS = Object.freeze({
  schema: "tollgate",
  poolSize: 10,
  statementTimeoutMs: 5000,
});

export const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:\/\//.test(url);

export const storage = z.strictObject({
  url: z
    .string()
    .refine(
      (value) => localUrl("sqlite").test(value) || isPostgresUrl(value),
      "is no storage that is known; write it as sqlite:PATH, or postgres://USER@HOST/DATABASE",
    )
    .default("sqlite:./data/tollgate.db"),
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, "is no name for a schema; use a-z, 0-9 and underscores")
    .default(POSTGRES_DEFAULTS.schema),
  poolSize: positive.default(POSTGRES_DEFAULTS.poolSize),
  statementTimeoutMs: milliseconds.default(POSTGRES_DEFAULTS.statementTimeoutMs),
  journal: text.optional(),
});

/** The ends of a copy. URLs with passwords come from the environment: arguments are seen by all who list processes. */
export function copyEnds({ from, to }: { readonly from?: string; readonly to?: string }): {
  readonly from: string | undefined;
  readonly to: string | undefined;
} {
  const { TOLLGATE_FROM, TOLLGATE_TO } = process.env;
  return { from: from ?? TOLLGATE_FROM, to: to ?? TOLLGATE_TO };
}
