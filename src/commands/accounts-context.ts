import { randomBytes } from "node:crypto";
import { loadConfig } from "../config/load.ts";
import { systemClock } from "../lib/clock.ts";
import { openStorage } from "../storage/open.ts";
import type { KeyParts } from "./keys.ts";
import type { Output } from "./output.ts";

/**
 * Runs a command on the store that a configuration file names; a gateway that runs on the same
 * store sees what it changes. Returns what is to be printed.
 */
export async function onStore(
  options: { readonly config: string; readonly json?: boolean | undefined },
  command: (parts: KeyParts) => Promise<Output>,
): Promise<string> {
  const config = await loadConfig(options.config);
  const storage = await openStorage(config.storage.url);
  try {
    const { plans } = config;
    const { pepper } = config.keys;
    const parts = { storage, plans, pepper, clock: systemClock, random: randomBytes };
    const { json, text } = await command(parts);
    return options.json === true ? JSON.stringify(json) : text;
  } finally {
    await storage.close();
  }
}
