import { readOpenApi } from "../contract/session.ts";
import { MailTurns } from "../mail/mail-turns.ts";
import { accountRoutes } from "../routes/accounts.ts";
import { alertRoutes } from "../routes/alerts.ts";
import { auditRoutes } from "../routes/audit.ts";
import { explorerRoutes } from "../routes/explorer.ts";
import { keyRoutes } from "../routes/keys.ts";
import { memberRoutes } from "../routes/members.ts";
import { nodeHistoryRoutes } from "../routes/node-history.ts";
import { operatorAccountRoutes } from "../routes/operator-accounts.ts";
import { operatorNetworkRoutes } from "../routes/operator-networks.ts";
import { requestRoutes } from "../routes/requests.ts";
import { sessionRoutes } from "../routes/session.ts";
import { tokenRoutes } from "../routes/tokens.ts";
import { usageRoutes } from "../routes/usage.ts";
import { openApiDocument } from "./openapi.ts";
import type { ApiParts } from "./parts.ts";
import { type BoundRoute, bind } from "./route.ts";

/** Every route of the API. */
export function apiRoutes(parts: ApiParts): readonly BoundRoute[] {
  const turns = new MailTurns(parts.clock);
  const routes = [
    ...sessionRoutes(parts),
    ...accountRoutes(parts),
    ...keyRoutes(parts),
    ...usageRoutes(parts),
    ...requestRoutes(parts),
    ...alertRoutes(parts, turns),
    ...memberRoutes(parts, turns),
    ...tokenRoutes(parts),
    ...auditRoutes(parts),
    ...explorerRoutes(parts),
    ...operatorNetworkRoutes(parts),
    ...nodeHistoryRoutes(parts),
    ...operatorAccountRoutes(parts),
  ];
  const contracts = [readOpenApi, ...routes.map(({ contract }) => contract)];
  const document = openApiDocument(contracts, { title: "Tollgate", version: parts.version });
  return [bind(readOpenApi, async () => document), ...routes];
}
