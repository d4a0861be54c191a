import { createHmac } from "node:crypto";
import type { Random } from "../../lib/random.ts";

const MARK = "whsec_";
/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** A secret with which a webhook's messages are signed, as receivers' libraries take it. */
export function newWebhookSecret(random: Random): string {
  return MARK + Buffer.from(random(SECRET_BYTES)).toString("base64");
}

export type WebhookMessage = {
  /** The same at each attempt, so that a receiver knows what it has had. */
  readonly id: string;
  /** The time of the attempt, Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
};

/** The headers of a message as Standard Webhooks 1.0 has them. */
export function signedHeaders(
  { id, timestamp, body }: WebhookMessage,
  secret: string,
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const key = Buffer.from(secret.slice(MARK.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature}`,
  };
}
