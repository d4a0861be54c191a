import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createApiKey } from "./api-key.ts";
import { auditEntry, COMMAND_ACTOR } from "./audit-entry.ts";

const parts = { clock: { now: () => 7 }, random: randomBytes };
const event = { accountId: "acc_1", actor: COMMAND_ACTOR, action: "key.create" } as const;

test("an entry has an id and a time of its own, and null where nothing was said", () => {
  expect(auditEntry(parts, { ...event, target: "key_1" })).toEqual({
    id: expect.stringMatching(/^aud_\w{8,11}$/),
    at: 7,
    accountId: "acc_1",
    actor: { kind: "command", email: null },
    action: "key.create",
    target: "key_1",
    detail: {},
    ip: null,
    agent: null,
  });
});

test("no part of an entry holds a key, wherever it was sent, and no text is without an end", () => {
  const key = createApiKey(randomBytes);
  const agent = `${"x".repeat(290)}${key}${"y".repeat(1_000)}`;
  const detail = { name: key, text: agent, count: 3, own: false, none: null };
  const entry = auditEntry(parts, { ...event, target: key, detail, agent });
  expect(entry.target).toBe("tg_[redacted]");
  expect(entry.detail).toMatchObject({ name: "tg_[redacted]", count: 3, own: false, none: null });
  expect(entry.agent).toHaveLength(300);
  expect(JSON.stringify(entry)).not.toContain(key.slice(3, 11));
});
