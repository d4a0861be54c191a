import { type AuditEvent, auditEntry, COMMAND_ACTOR } from "../../access/audit-entry.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Storage } from "../../storage/store.ts";

/** The parts with which a command that changes something writes it down. */
export type AuditParts = {
  readonly storage: Pick<Storage, "audit">;
  readonly clock: Pick<Clock, "now">;
  readonly random: Random;
};

/** Writes down what a command has changed. */
export async function note(
  parts: AuditParts,
  event: Pick<AuditEvent, "accountId" | "action" | "target" | "detail">,
): Promise<void> {
  await parts.storage.audit.append(auditEntry(parts, { ...event, actor: COMMAND_ACTOR }));
}
