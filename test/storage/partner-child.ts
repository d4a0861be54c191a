import { PartnerCaps } from "../../src/routing/partner-caps.ts";
import { openSqlite } from "../../src/storage/sqlite/client.ts";
import type { PartnerLimits } from "../../src/storage/store.ts";

/** A process that sends calls to a partner until it is told no more, and tells how many it sent. */
const [path = "", now = "0", caps = "{}"] = process.argv.slice(2);
// In its thread, as those of a gateway that runs: else it would send them all before another begins.
const storage = await openSqlite(path, { threadAfterMs: 0 });
const partnerCaps = new PartnerCaps(
  { network: "mainnet", caps: () => JSON.parse(caps) as PartnerLimits },
  {
    store: storage.partners,
    clock: { now: () => Number(now) },
    onStoreFailure: (error) => {
      throw error;
    },
  },
);
const take = (): Promise<boolean> => new Promise((resolve) => partnerCaps.take(resolve));

process.send?.("ready");
await new Promise((resolve) => process.once("message", resolve));
let sent = 0;
for (let round = 1; ; round += 1) {
  const wave = Array.from({ length: 1 + (round % 5) }, take);
  const allowed = (await Promise.all(wave)).filter(Boolean).length;
  sent += allowed;
  if (allowed < wave.length) break;
}
await storage.close();
process.send?.(sent);
process.disconnect();
