import type { AlertDelivery, AlertSettings } from "../console-stores.ts";
import { pageOf } from "../cursor.ts";

export type SettingsRow = {
  readonly account_id: string;
  /** JSON, as the e-mails. */
  readonly thresholds: string;
  readonly emails: string;
  readonly webhook_url: string | null;
  readonly webhook_secret: string | null;
};

export type DeliveryRow = AlertDelivery & { readonly seq: number };

export const DELIVERY_COLUMNS = `seq, id, account_id AS "accountId", at, day, threshold, kind AS "to", target,
  payload, state, attempts, next_at AS "nextAt", last_error AS "lastError"`;

type DeliveryPage = { readonly deliveries: readonly AlertDelivery[]; readonly next: string | null };

/** A page of `limit` deliveries out of one row more, latest first. */
export function deliveryPage(rows: readonly DeliveryRow[], limit: number): DeliveryPage {
  const { page, next } = pageOf(rows, limit, (row) => `${row.seq}`);
  return { deliveries: page.map(toDelivery), next };
}

export const toDelivery = ({ seq: _, ...delivery }: DeliveryRow): AlertDelivery => delivery;

export function toSettings(row: SettingsRow): AlertSettings {
  const { webhook_url: url, webhook_secret: secret } = row;
  return {
    accountId: row.account_id,
    thresholds: JSON.parse(row.thresholds) as number[],
    emails: JSON.parse(row.emails) as string[],
    webhook: url === null || secret === null ? null : { url, secret },
  };
}
