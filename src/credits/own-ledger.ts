import type { Config } from "../config/schema.ts";
import { isPostgresUrl } from "../config/storage.ts";
import { bootId } from "../lib/boot-id.ts";
import type { SystemTimers } from "../lib/clock.ts";
import { LeaseJournalFile } from "../storage/lease-journal-file.ts";
import type { Storage } from "../storage/store.ts";
import { failureLine, type Logger } from "../telemetry/log.ts";
import { LeaseRecovery } from "./lease-recovery.ts";
import { Ledger } from "./ledger.ts";
import type { Scheduler } from "./scheduler.ts";

const RETRY_JOURNAL_MS = 5000;

export type OwnLedgerParts = {
  readonly storage: Pick<Storage, "ledger">;
  readonly scheduler: Scheduler & SystemTimers;
  readonly log: Logger;
  /** Unlike the name of any other process on the store. */
  readonly process: string;
  readonly onForgotten: () => void;
};

export type OwnLedger = {
  readonly ledger: Ledger;
  /** Begins to give back, also what was left by processes that were killed. */
  readonly start: () => void;
  readonly stop: () => Promise<void>;
};

/**
 * The ledger of this process, with its journal where the configuration has one.
 * @throws StorageError, or the system's error, where the journal's folder cannot be used
 */
export function ownLedger(config: Config, parts: OwnLedgerParts): OwnLedger {
  const { storage, scheduler, log, process, onForgotten } = parts;
  const journal = journalOf(config, parts);
  const ledger = new Ledger(
    { plans: config.plans, process, isRemote: isPostgresUrl(config.storage.url) },
    {
      ...{ store: storage.ledger, scheduler, journal, onForgotten },
      onStoreFailure: failureLine(log, "the store of the ledger does not answer"),
    },
  );
  if (journal === undefined) {
    return { ledger, start: () => ledger.start(), stop: () => ledger.stop() };
  }
  const recovery = new LeaseRecovery({
    ...{ journal, store: storage.ledger, clock: scheduler },
    onDone: (leases) => log.info({ leases }, "gave back what killed processes had leased"),
  });
  let stopRetries: () => void = () => undefined;
  return {
    ledger,
    start: () => {
      ledger.start();
      recovery.start();
      stopRetries = scheduler.every(RETRY_JOURNAL_MS, () => journal.retry());
    },
    stop: async () => {
      stopRetries();
      recovery.stop();
      await ledger.stop();
      journal.close();
    },
  };
}

function journalOf(
  { storage: { journal: folder } }: Config,
  { scheduler, log, process }: OwnLedgerParts,
): LeaseJournalFile | undefined {
  if (folder === undefined) return undefined;
  return new LeaseJournalFile(
    { folder, process, boot: bootId(scheduler) },
    {
      onFailure: failureLine(
        log,
        "the journal of leases cannot be written: a process that is killed loses what it has leased",
      ),
      onRecovery: () => log.info("the journal of leases is written again"),
      onDiscarded: (why) => log.warn({ why }, "leases of killed processes stay charged"),
    },
  );
}
