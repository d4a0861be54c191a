import { setTimeout as sleep } from "node:timers/promises";
import { BlockFilesFault } from "../../block-files/block-files-fault.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { CommandError, count, type Output } from "../output.ts";
import { requireBlock } from "./ledger-import-block.ts";
import { openFolderSource } from "./ledger-import-folder.ts";
import { openNodeSource } from "./ledger-import-node.ts";
import { ImportProgress } from "./ledger-import-progress.ts";
import { parseSlots, type SlotRange, stretches } from "./ledger-import-slots.ts";
import type { BlockSource, Pause } from "./ledger-import-source.ts";
import { ImportTarget } from "./ledger-import-target.ts";

export type ImportParts = {
  readonly print: (text: string) => void;
  readonly clock?: Clock;
  readonly pause?: Pause;
};

type ImportRequest = { readonly from: string; readonly slots: string; readonly to: string };

/** After so many slots ledger.json is brought up to date: what an interruption leaves is whole. */
const STRETCH_SLOTS = 200;
const AT_ONCE = 4;

/**
 * `ledger import --from URL|DIR --slots A-B --to DIR`: finalized blocks into a ledger of files.
 * @throws CommandError
 */
export async function importLedger(request: ImportRequest, parts: ImportParts): Promise<Output> {
  const { clock = systemClock, pause = pauseFor } = parts;
  const range = parseSlots(request.slots);
  const target = ImportTarget.open(request.to);
  const source = openSource(request.from, pause);
  try {
    target.join(await source.genesisHash());
    await source.requireSlots(range);
    await requireNoGap(source, { target, range });
    const progress = new ImportProgress(range, { print: parts.print, now: clock.monotonic });
    for (const stretch of stretches(range, { size: STRETCH_SLOTS, around: target.firstSlot })) {
      await importStretch(stretch, { source, target, progress });
    }
    return summarize(request.to, { target, progress, range });
  } finally {
    await source.close();
  }
}

const pauseFor: Pause = (ms, signal) => sleep(ms, undefined, { signal });

function openSource(from: string, pause: Pause): BlockSource {
  if (/^https?:\/\//i.test(from)) return openNodeSource(from, { pause });
  // A text that looks like a URL may hold a key, and is not repeated.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(from)) {
    throw new CommandError("--from takes a URL with http:// or https://, or a folder");
  }
  return openFolderSource(from);
}

type Work = {
  readonly source: BlockSource;
  readonly target: ImportTarget;
  readonly progress: ImportProgress;
};

async function importStretch(stretch: SlotRange, { source, target, progress }: Work) {
  const left = (await source.slotsIn(stretch)).values();
  const there: number[] = [];
  const importNext = async (): Promise<void> => {
    for (const slot of left) {
      if (await importBlock(slot, { source, target, progress })) there.push(slot);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, importNext));
  target.widen(there);
  progress.end(stretch);
}

/** Whether the ledger has it now. */
async function importBlock(slot: number, { source, target, progress }: Work): Promise<boolean> {
  if (target.has(slot)) {
    progress.keep();
    return true;
  }
  const text = await source.block(slot);
  if (text === undefined) return false;
  try {
    requireBlock(slot, text);
  } catch (error) {
    if (!(error instanceof BlockFilesFault)) throw error;
    throw new CommandError(`the block of slot ${slot}: ${error.message}`, { cause: error });
  }
  target.write(slot, `${text}\n`);
  progress.add();
  return true;
}

/** A ledger says of each slot between its first and its last that no file means no block. */
async function requireNoGap(
  source: BlockSource,
  { target, range }: { readonly target: ImportTarget; readonly range: SlotRange },
): Promise<void> {
  const gap = target.gapTo(range);
  if (gap === undefined) return;
  for (const stretch of stretches(gap, { size: STRETCH_SLOTS, around: undefined })) {
    if ((await source.slotsIn(stretch)).length === 0) continue;
    const first = Math.min(range.first, gap.first);
    const last = Math.max(range.last, gap.last);
    throw new CommandError(
      `the slots ${gap.first}-${gap.last} between the ledger's and these would seem skipped: ` +
        `import --slots ${first}-${last}`,
    );
  }
}

function summarize(
  folder: string,
  { target, progress, range }: Omit<Work, "source"> & { readonly range: SlotRange },
): Output {
  const ledger = target.head;
  const { imported, kept, skipped } = progress;
  if (ledger === undefined) {
    throw new CommandError(`there is no block in the slots ${range.first}-${range.last}`);
  }
  const text =
    `${count(imported)} blocks imported, ${count(kept)} were there, ${count(skipped)} slots ` +
    `without a block; ${folder} has the slots ${ledger.firstSlot}-${ledger.confirmedSlot}`;
  return { json: { ...range, imported, kept, skipped, ledger }, text };
}
