import { hashApiKey, isApiKey, isApiToken } from "../../access/api-key.ts";
import type { Config } from "../../config/schema.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ApiToken } from "../../storage/console-stores.ts";
import type { Storage } from "../../storage/store.ts";
import type { Logger } from "../../telemetry/log.ts";
import { Problem } from "./problem.ts";

/** A use is written down once in that time: reads need not cost a write each. */
const NOTED_EVERY_MS = 60_000;

export type TokenParts = {
  readonly storage: { readonly tokens: Pick<Storage["tokens"], "findByHash" | "recordUse"> };
  readonly config: Pick<Config, "keys">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<Logger, "warn">;
};

/** The API token that an `Authorization` header holds (RFC 6750). @throws Problem where it is none that works */
export async function readToken(
  { storage, config, clock, log }: TokenParts,
  authorization: string,
): Promise<ApiToken> {
  const [, text = ""] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (!isApiToken(text)) throw new Problem("unauthorized", whyNone(text));
  const token = await storage.tokens.findByHash(hashApiKey(text, config.keys.pepper));
  const now = clock.now();
  if (token === undefined) {
    throw new Problem("unauthorized", "this API token is not known here, or was revoked");
  }
  if (token.expiresAt !== null && token.expiresAt <= now) {
    throw new Problem("unauthorized", "this API token has expired; create a new one");
  }
  if (now - (token.lastUsedAt ?? 0) >= NOTED_EVERY_MS) {
    // The request does not wait for it, and goes on where it fails.
    storage.tokens.recordUse(token.id, now).catch((error: unknown) => {
      log.warn({ token: token.id, cause: String(error) }, "the use of a token cannot be written");
    });
  }
  return token;
}

function whyNone(text: string): string {
  if (isApiKey(text)) {
    return "this is a key for calls of the gateway; the dashboard's API takes API tokens (tgt_…)";
  }
  return 'the Authorization header must be "Bearer " and an API token (tgt_…)';
}
