import { createHash } from "node:crypto";

/** A block of the bench's chain, and its logs, as a node gives them. */
export type StreamBlock = {
  readonly header: Readonly<Record<string, unknown>> & {
    readonly number: string;
    readonly hash: string;
  };
  readonly logs: readonly object[];
};

const ZEROS = `0x${"0".repeat(64)}`;
const EMPTY_BLOOM = `0x${"0".repeat(512)}`;
/** It may hold whatever is looked for. */
const FULL_BLOOM = `0x${"f".repeat(512)}`;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const hashOf = (text: string): string => `0x${createHash("sha256").update(text).digest("hex")}`;

/** The contract of the n-th log of each block. */
export const contractOf = (log: number): string => `0xc0${log.toString(16).padStart(38, "0")}`;

/** The block after `parent`, with so many logs, each of a contract of its own. */
export function nextBlock(parent: StreamBlock | undefined, logs: number): StreamBlock {
  const number = parent === undefined ? 1 : Number(parent.header.number) + 1;
  const hash = hashOf(`block ${number}`);
  const blockNumber = `0x${number.toString(16)}`;
  const header = {
    number: blockNumber,
    hash,
    parentHash: parent?.header.hash ?? ZEROS,
    nonce: "0x0000000000000000",
    sha3Uncles: hashOf("uncles"),
    logsBloom: logs === 0 ? EMPTY_BLOOM : FULL_BLOOM,
    transactionsRoot: hashOf(`transactions ${number}`),
    stateRoot: hashOf(`state ${number}`),
    receiptsRoot: hashOf(`receipts ${number}`),
    miner: contractOf(0),
    difficulty: "0x0",
    extraData: "0x6265617665726275696c642e6f7267",
    gasLimit: "0x1c9c380",
    gasUsed: "0xf42400",
    timestamp: `0x${(1_700_000_000 + 12 * number).toString(16)}`,
    mixHash: hashOf(`mix ${number}`),
    baseFeePerGas: "0x3b9aca00",
    withdrawalsRoot: hashOf(`withdrawals ${number}`),
    blobGasUsed: "0x20000",
    excessBlobGas: "0x0",
    parentBeaconBlockRoot: hashOf(`beacon ${number}`),
  };
  const transactionHash = hashOf(`transaction ${number}`);
  return {
    header,
    logs: Array.from({ length: logs }, (_, at) => ({
      address: contractOf(at),
      topics: [TRANSFER, hashOf(`from ${at}`), hashOf(`to ${at}`)],
      data: `0x${at.toString(16).padStart(64, "0")}`,
      ...{ blockNumber, blockHash: hash, transactionHash, transactionIndex: "0x0" },
      ...{ logIndex: `0x${at.toString(16)}`, removed: false },
    })),
  };
}
