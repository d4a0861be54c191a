import type { AlertStore } from "../console-stores.ts";
import { readNumberCursor } from "../cursor.ts";
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  deliveryPage,
  type SettingsRow,
  toDelivery,
  toSettings,
} from "../rows/alerts.ts";
import type { PostgresDatabase } from "./database.ts";

export function alertStore(db: PostgresDatabase): AlertStore {
  return {
    ...settingsStore(db),
    claim: claiming(db),
    due: async ({ now, limit, holdMs }) => {
      // Rows that another process is taking are passed over.
      const rows = await db.write<DeliveryRow>(
        `UPDATE @alert_deliveries SET next_at = :now::bigint + :holdMs::bigint WHERE seq IN (
           SELECT seq FROM @alert_deliveries WHERE state = 'pending' AND next_at <= :now
           ORDER BY next_at, seq LIMIT :limit FOR UPDATE SKIP LOCKED)
         RETURNING ${DELIVERY_COLUMNS}`,
        { now, limit, holdMs },
      );
      return [...rows].sort((a, b) => a.seq - b.seq).map(toDelivery);
    },
    settle: async (id, { state, attempts, nextAt, lastError }) => {
      await db.change(
        `UPDATE @alert_deliveries
         SET state = :state, attempts = :attempts, next_at = :nextAt, last_error = :lastError
         WHERE id = :id`,
        { id, state, attempts, nextAt, lastError },
      );
    },
    page: async (accountId, { before, limit }) => {
      const seq = readNumberCursor(before);
      if (seq === undefined) return { deliveries: [], next: null };
      const rows = await db.read<DeliveryRow>(
        `SELECT ${DELIVERY_COLUMNS} FROM @alert_deliveries
         WHERE account_id = :accountId AND seq < :seq ORDER BY seq DESC LIMIT :rows`,
        { accountId, seq, rows: limit + 1 },
      );
      return deliveryPage(rows, limit);
    },
  };
}

function settingsStore(db: PostgresDatabase): Pick<AlertStore, "read" | "write" | "list"> {
  return {
    read: async (accountId) => {
      const sql = "SELECT * FROM @alert_settings WHERE account_id = :accountId";
      const [row] = await db.read<SettingsRow>(sql, { accountId });
      return row && toSettings(row);
    },
    write: async ({ accountId, thresholds, emails, webhook }) => {
      await db.change(
        `INSERT INTO @alert_settings (account_id, thresholds, emails, webhook_url, webhook_secret)
         VALUES (:accountId, :thresholds, :emails, :url, :secret)
         ON CONFLICT (account_id) DO UPDATE SET thresholds = excluded.thresholds,
           emails = excluded.emails, webhook_url = excluded.webhook_url,
           webhook_secret = excluded.webhook_secret`,
        {
          accountId,
          thresholds: JSON.stringify(thresholds),
          emails: JSON.stringify(emails),
          url: webhook?.url ?? null,
          secret: webhook?.secret ?? null,
        },
      );
    },
    list: async () => {
      const sql = "SELECT * FROM @alert_settings ORDER BY account_id";
      return (await db.read<SettingsRow>(sql)).map(toSettings);
    },
  };
}

function claiming(db: PostgresDatabase): AlertStore["claim"] {
  return ({ accountId, day, threshold }, deliveries) =>
    db.transaction(async (tx) => {
      const claimed = await tx.change(
        `INSERT INTO @alerts (account_id, day, threshold)
         SELECT id, :day::bigint, :threshold::bigint FROM @accounts WHERE id = :accountId
         ON CONFLICT DO NOTHING`,
        { accountId, day, threshold },
      );
      if (claimed === 0) return false;
      for (const delivery of deliveries) {
        await tx.change(
          `INSERT INTO @alert_deliveries (id, account_id, at, day, threshold, kind, target, payload,
             state, attempts, next_at, last_error)
           VALUES (:id, :accountId, :at, :day, :threshold, :to, :target, :payload,
             :state, :attempts, :nextAt, :lastError)`,
          { ...delivery },
        );
      }
      return true;
    });
}
