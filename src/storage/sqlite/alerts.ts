import type { DatabaseSync } from "node:sqlite";
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
import { type Blocking, returning, transaction } from "./database.ts";

export function alertStatements(db: DatabaseSync): Blocking<AlertStore> {
  const one = db.prepare("SELECT * FROM alert_settings WHERE account_id = ?");
  const all = db.prepare("SELECT * FROM alert_settings ORDER BY account_id");
  const write = db.prepare(
    `INSERT INTO alert_settings (account_id, thresholds, emails, webhook_url, webhook_secret)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (account_id) DO UPDATE SET thresholds = excluded.thresholds,
       emails = excluded.emails, webhook_url = excluded.webhook_url,
       webhook_secret = excluded.webhook_secret`,
  );
  return {
    read: (accountId) => {
      const row = one.get(accountId) as SettingsRow | undefined;
      return row && toSettings(row);
    },
    write: ({ accountId, thresholds, emails, webhook }) => {
      const lists = [JSON.stringify(thresholds), JSON.stringify(emails)] as const;
      write.run(accountId, ...lists, webhook?.url ?? null, webhook?.secret ?? null);
    },
    list: () => (all.all() as SettingsRow[]).map(toSettings),
    claim: claiming(db),
    ...deliveryStatements(db),
  };
}

function claiming(db: DatabaseSync): Blocking<AlertStore>["claim"] {
  const claim = db.prepare(
    `INSERT INTO alerts (account_id, day, threshold)
     SELECT :accountId, :day, :threshold WHERE EXISTS (SELECT 1 FROM accounts WHERE id = :accountId)
     ON CONFLICT DO NOTHING`,
  );
  const enqueue = db.prepare(
    `INSERT INTO alert_deliveries (id, account_id, at, day, threshold, kind, target, payload, state,
       attempts, next_at, last_error)
     VALUES (:id, :accountId, :at, :day, :threshold, :to, :target, :payload, :state,
       :attempts, :nextAt, :lastError)`,
  );
  return ({ accountId, day, threshold }, deliveries) => {
    let claimed = false;
    transaction(db, () => {
      claimed = claim.run({ accountId, day, threshold }).changes === 1;
      if (claimed) for (const delivery of deliveries) enqueue.run({ ...delivery });
    });
    return claimed;
  };
}

function deliveryStatements(
  db: DatabaseSync,
): Pick<Blocking<AlertStore>, "due" | "settle" | "page"> {
  const isDue = "state = 'pending' AND next_at <= :now";
  const any = db.prepare(`SELECT 1 FROM alert_deliveries WHERE ${isDue} LIMIT 1`);
  const take = returning<DeliveryRow>(
    db,
    `UPDATE alert_deliveries SET next_at = :now + :holdMs WHERE seq IN (
       SELECT seq FROM alert_deliveries WHERE ${isDue} ORDER BY next_at, seq LIMIT :limit)
     RETURNING ${DELIVERY_COLUMNS}`,
  );
  const settle = db.prepare(
    `UPDATE alert_deliveries
     SET state = :state, attempts = :attempts, next_at = :nextAt, last_error = :lastError
     WHERE id = :id`,
  );
  const page = db.prepare(
    `SELECT ${DELIVERY_COLUMNS} FROM alert_deliveries
     WHERE account_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  return {
    due: ({ now, limit, holdMs }) => {
      // A look takes no lock, and mostly there is nothing.
      if (any.get({ now }) === undefined) return [];
      return take({ now, limit, holdMs })
        .sort((a, b) => a.seq - b.seq)
        .map(toDelivery);
    },
    settle: (id, { state, attempts, nextAt, lastError }) => {
      settle.run({ id, state, attempts, nextAt, lastError });
    },
    page: (accountId, { before, limit }) => {
      const seq = readNumberCursor(before);
      if (seq === undefined) return { deliveries: [], next: null };
      const rows = page.all(accountId, seq, limit + 1) as DeliveryRow[];
      return deliveryPage(rows, limit);
    },
  };
}
