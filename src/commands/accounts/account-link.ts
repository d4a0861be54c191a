import { auditEntry, COMMAND_ACTOR } from "../../access/audit-entry.ts";
import { openAuth } from "../../console/auth/auth.ts";
import { authSettings, consoleSettings } from "../../console/settings.ts";
import { createLog } from "../../telemetry/log.ts";
import { CommandError, type Output } from "../output.ts";
import { findAccount } from "./accounts.ts";
import type { StoreParts } from "./accounts-context.ts";

/**
 * `accounts link EMAIL`: a link that signs the account's owner in to the dashboard, once, within 15
 * minutes. It works where no mail can be sent, and whether the dashboard runs or not.
 * @throws CommandError for an unknown account, and where no dashboard is configured
 */
export async function linkAccount(
  parts: StoreParts,
  request: { readonly email: string },
): Promise<Output> {
  const { config, storage, clock, random } = parts;
  if (config.console === undefined) {
    throw new CommandError("the configuration has no console section, so there is no dashboard");
  }
  const { port } = config.console;
  if (port === 0 && config.console.publicUrl === undefined) {
    throw new CommandError("console.port is 0: name a port, or write console.publicUrl");
  }
  const account = await findAccount(storage, request.email);
  const settings = consoleSettings(config, { console: port, gateway: 0, admin: undefined });
  const log = createLog({ level: "warn", terminal: false }, { write: () => undefined });
  const tools = { storage, mailer: undefined, log, clock, random };
  const auth = await openAuth(authSettings(settings), tools);
  try {
    const url = await auth.signInLink(account.email);
    await storage.audit.append(
      auditEntry(parts, {
        accountId: account.id,
        actor: COMMAND_ACTOR,
        action: "account.link",
        target: account.id,
      }),
    );
    const text = `${url}\nsigns ${account.email} in, once, within 15 minutes`;
    return { json: { account: account.email, url }, text };
  } finally {
    await auth.close();
  }
}
