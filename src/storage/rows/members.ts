/** Members as the store tells them; a condition and an order may follow. */
export const memberSql = (members: string): string =>
  `SELECT id, account_id AS "accountId", email, added_at AS "addedAt", added_by AS "addedBy"
   FROM ${members}`;
