import type { ReloadResult } from "../../admin/operations.ts";
import { ConfigError, type Fault } from "../../config/faults.ts";
import { loadConfig } from "../../config/load.ts";
import { reachableHost } from "../../lib/reachable-host.ts";
import { CommandError } from "../output.ts";

/** Longer than the networks that a reload builds may wait for their nodes. */
const TIMEOUT_MS = 60_000;

const NO_ADMIN =
  "the file sets no admin port, over which a gateway is told to reload; set admin, or send SIGHUP to the gateway";

/**
 * `reload --config FILE`: has the gateway that runs by the file read it again.
 * @throws ConfigError with what is wrong with the file; CommandError where no gateway answers
 */
export async function runReload(file: string, print: (text: string) => void): Promise<void> {
  const { admin } = await loadConfig(file);
  if (admin === undefined) throw new CommandError(NO_ADMIN);
  const origin = `http://${reachableHost(admin.host)}:${admin.port}`;
  const result = await asked(origin, admin.token);
  if (!result.reloaded) throw new ConfigError(result.faults);
  print("reloaded");
  if (result.needsRestart.length === 0) return;
  print(`these take effect when the gateway is started again: ${result.needsRestart.join(", ")}`);
}

async function asked(origin: string, token: string | undefined): Promise<ReloadResult> {
  const headers: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const url = `${origin}/reload`;
  const response = await fetch(url, { method: "POST", headers, signal }).catch((cause: unknown) => {
    throw new CommandError(`no gateway answers at ${origin}: is it running?`, { cause });
  });
  const { status } = response;
  if (status === 401) throw new CommandError("the gateway that runs has another admin.token");
  const body = (await response.json().catch(() => ({}))) as {
    readonly error?: string;
    readonly needsRestart?: readonly string[];
    readonly faults?: readonly Fault[];
  };
  const { needsRestart, faults, error = `status ${status}` } = body;
  if (status === 200 && needsRestart !== undefined) return { reloaded: true, needsRestart };
  if (status === 422 && faults !== undefined) return { reloaded: false, faults };
  throw new CommandError(`the gateway at ${origin} does not reload: ${error}`);
}
