/** Where a page ended, as text: numbered rows by their number, accounts by their age. */

type Age = { readonly createdAt: number; readonly id: string };

/** Before the oldest account. */
const FIRST: Age = { createdAt: -1, id: "" };
/** Behind the last row. */
const LAST = Number.MAX_SAFE_INTEGER;

export const ageCursor = ({ createdAt, id }: Age): string => `${createdAt}.${id}`;

/** Undefined where the text is no cursor. */
export function readAgeCursor(text: string | undefined): Age | undefined {
  if (text === undefined) return FIRST;
  const [, createdAt, id] = /^(\d{1,15})\.(\w{1,64})$/.exec(text) ?? [];
  return createdAt === undefined || id === undefined
    ? undefined
    : { createdAt: Number(createdAt), id };
}

/** Undefined where the text is no cursor. */
export function readNumberCursor(text: string | undefined): number | undefined {
  if (text === undefined) return LAST;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A page of `limit` rows out of one more than it may have, which says whether another follows. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursor: (last: Row) => string,
): { readonly page: readonly Row[]; readonly next: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last !== undefined ? cursor(last) : null };
}
