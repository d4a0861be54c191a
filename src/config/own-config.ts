import type { Config } from "./schema.ts";

/** A configuration from a message of another process, where objects have lost that they have no prototype. */
export function ownConfig(config: Config): Config {
  return { ...config, plans: Object.assign(Object.create(null), config.plans) };
}
