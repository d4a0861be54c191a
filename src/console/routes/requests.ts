import type { ApiParts } from "../api/parts.ts";
import { Problem } from "../api/problem.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import { findAllRequests, findOwnRequests } from "../contract/requests.ts";
import { searchedLog } from "../settings.ts";
import { type FoundRequests, findRequests } from "../usage/request-search.ts";

/** Each reads up to a gigabyte. */
const MOST_SEARCHES = 2;

export function requestRoutes({ storage, config }: ApiParts): BoundRoute[] {
  let searches = 0;
  const search = async (requestId: string, account?: string) => {
    const log = searchedLog(config);
    if (log === undefined) {
      throw new Problem(
        "conflict",
        "there is no request log to search: requestLog.path names no file",
      );
    }
    if (searches >= MOST_SEARCHES) {
      throw new Problem(
        "too_many",
        "others are searching the request log: try again in a few seconds",
      );
    }
    searches += 1;
    try {
      return { ...(await findRequests(log.path, { requestId, account })), ratio: log.ratio };
    } finally {
      searches -= 1;
    }
  };
  const emailsOf = async ({ lines }: FoundRequests): Promise<ReadonlyMap<string, string>> => {
    const ids = [...new Set(lines.map(({ account }) => account))];
    const accounts = await Promise.all(ids.map((id) => storage.accounts.findById(id)));
    return new Map(accounts.flatMap((each) => (each ? [[each.id, each.email] as const] : [])));
  };
  return [
    bind(findOwnRequests, async ({ account, query }) => {
      const { lines, ...rest } = await search(query.id, account.id);
      return { items: [...lines], ...rest };
    }),
    bind(findAllRequests, async ({ query }) => {
      const { lines, ...rest } = await search(query.id);
      const emails = await emailsOf({ lines, ...rest });
      const items = lines.map((line) => ({ ...line, email: emails.get(line.account) ?? null }));
      return { items, ...rest };
    }),
  ];
}
