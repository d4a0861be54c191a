import type { Ledger } from "../credits/ledger.ts";
import { StoreProbe } from "../credits/store-probe.ts";
import type { Time } from "../lib/clock.ts";
import type { Storage } from "../storage/store.ts";
import type { UsageRecorder } from "../usage/usage-recorder.ts";

/** A read and a write show whether the storage works now, the parts whether their own writes did of late. */
export function obstacles(parts: {
  readonly storage: Storage;
  readonly clock: Time;
  readonly ledger: Ledger;
  readonly usage: UsageRecorder;
}): () => Promise<readonly string[]> {
  const { storage, clock, ledger, usage } = parts;
  const probe = new StoreProbe({ store: storage.ledger, clock });
  return async () => {
    const reading = storage.changes.since(undefined).then(
      () => true,
      () => false,
    );
    const [answers, isWritable] = await Promise.all([reading, probe.isWritable()]);
    const countsCredits = isWritable && !ledger.isStoreFailing;
    return [
      ...(answers ? [] : ["storage: accounts and keys cannot be read"]),
      ...(countsCredits ? [] : ["storage: credits cannot be counted"]),
      ...(usage.isStoreFailing ? ["storage: usage cannot be written"] : []),
    ];
  };
}
