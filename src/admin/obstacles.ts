import type { Ledger } from "../credits/ledger.ts";
import { StoreProbe } from "../credits/store-probe.ts";
import type { Time, UnixMs } from "../lib/clock.ts";
import type { Storage } from "../storage/store.ts";
import type { UsageRecorder } from "../usage/usage-recorder.ts";

/** So long is told of commits that were lost, unless an operator said that all is well. */
const LOSS_TOLD_MS = 86_400_000;

const TO_DO = "look after accounts and keys, then run `tollgate accounts repair EMAIL`";
const moment = (at: UnixMs) => new Date(at).toISOString();

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
    const finding = storage.fleet.lossFound().catch(() => undefined);
    const [answers, isWritable, lostAt] = await Promise.all([reading, probe.isWritable(), finding]);
    const isLost = lostAt !== undefined && clock.now() - lostAt < LOSS_TOLD_MS;
    const countsCredits = isWritable && !ledger.isStoreFailing;
    return [
      ...(answers ? [] : ["storage: accounts and keys cannot be read"]),
      ...(countsCredits ? [] : ["storage: credits cannot be counted"]),
      ...(isLost ? [`storage: commits were lost, as found at ${moment(lostAt)}; ${TO_DO}`] : []),
      ...(usage.isStoreFailing ? ["storage: usage cannot be written"] : []),
    ];
  };
}
