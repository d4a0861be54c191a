import { randomBytes } from "node:crypto";
import { loadConfig } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import { systemClock } from "../../lib/clock.ts";
import { openStorage } from "../../storage/open.ts";
import { storageClock } from "../../storage/storage-clock.ts";
import type { Storage } from "../../storage/store.ts";
import type { Output } from "../output.ts";
import type { AllowParts } from "./key-allow.ts";
import type { KeyParts } from "./keys.ts";

/** The parts that any command on the store may need. */
export type StoreParts = KeyParts &
  AllowParts & { readonly storage: Storage; readonly config: Config };

/**
 * Runs a command on the store that a configuration file names; a gateway that runs on the same
 * store sees what it changes. Returns what is to be printed.
 */
export async function onStore(
  options: { readonly config: string; readonly json?: boolean | undefined },
  command: (parts: StoreParts) => Promise<Output>,
): Promise<string> {
  const config = await loadConfig(options.config);
  const storage = await openStorage(config.storage);
  try {
    const { json, text } = await command({
      storage,
      config,
      plans: config.plans,
      networks: config.networks.map(({ name }) => name),
      pepper: config.keys.pepper,
      clock: storageClock(storage, systemClock),
      random: randomBytes,
    });
    return options.json === true ? JSON.stringify(json) : text;
  } finally {
    await storage.close();
  }
}
