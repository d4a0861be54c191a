import type { LargeBuffers } from "../../wire/bytes/large-buffers.ts";
import { isEmptyBloom } from "../bloom.ts";
import { BlockDetails, type BlockDetailsParts } from "../chain/block-details.ts";
import { BlockLogs, readBlockLogs } from "./block-logs.ts";

export type LogSource = BlockDetails<BlockLogs>;

/** The logs of blocks, by the blocks' hashes. */
export function logSource(
  parts: BlockDetailsParts & { readonly buffers: Pick<LargeBuffers, "take" | "giveBack"> },
): LogSource {
  const { buffers } = parts;
  const none = new BlockLogs([], { text: "", begins: [], ends: [] }, buffers);
  return new BlockDetails(
    {
      question: ({ hash, number }) => ({
        method: "eth_getLogs",
        params: `[{"blockHash":"${hash}"}]`,
        block: number,
      }),
      read: (result, block) => believable(readBlockLogs(result, block, buffers)),
      sizeOf: ({ sizeBytes }) => sizeBytes,
      dispose: (logs) => logs.giveBack(buffers),
      sure: ({ bloom }) => (isEmptyBloom(bloom) ? none : undefined),
    },
    parts,
  );
}

/** A node that has lost a block's logs says that there are none; its bloom says otherwise. */
const believable = (logs: BlockLogs | undefined): BlockLogs | undefined =>
  logs === undefined || logs.count === 0 ? undefined : logs;
