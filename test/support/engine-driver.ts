import { rpc } from "../../src/dev/rpc.ts";
import { ETHEREUMJS_CHAIN_ID, engineOf, startEthereumjs } from "./ethereumjs-node.ts";
import { signPlainChain } from "./plain-chain.ts";
import type { RealNode } from "./real-node.ts";

/** Execution clients of one chain, driven as a beacon node would. */
export type DrivenPair = {
  readonly nodes: readonly RealNode[];
  /** One more block on each of them, with `safe` two and `finalized` four blocks below it. */
  readonly advance: () => Promise<void>;
  readonly head: () => number;
  /** Every block so far, to a node that has lost them. */
  readonly seed: (node: RealNode) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** How far below the head. */
const SAFE = 2;
const FINALIZED = 4;
/** Blocks come a second after each other; the clients take transactions while the newest is new. */
const GENESIS_AGE_SECONDS = 20;
const ZERO = `0x${"0".repeat(64)}`;
const COINBASE = `0x${"c0".repeat(20)}`;

type Payload = { readonly blockHash: string; readonly blockNumber: string };
type Built = { readonly executionPayload: Payload; readonly executionRequests: readonly string[] };
type Status = { readonly status: string; readonly validationError: string | null };
type Updated = { readonly payloadStatus: Status; readonly payloadId: string | null };

/** Two clients with the samples in blocks 1 and 2 and empty blocks up to `head`. */
export async function startDrivenPair(head = 10): Promise<DrivenPair> {
  const { blocks } = await signPlainChain(ETHEREUMJS_CHAIN_ID);
  const genesisTime = Math.floor(Date.now() / 1000) - GENESIS_AGE_SECONDS;
  const starts = [startEthereumjs(genesisTime), startEthereumjs(genesisTime)];
  const nodes = await Promise.all(starts);
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
  };
  try {
    const driver = new EngineDriver(nodes, genesisTime);
    await driver.begin();
    for (let number = 1; number <= head; number += 1) await driver.advance(blocks[number - 1]);
    return {
      nodes,
      advance: () => driver.advance(),
      head: () => driver.head,
      seed: (node) => driver.replay(node),
      stop,
    };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

/** The first node builds each block, and all are given it. */
class EngineDriver {
  readonly #nodes: readonly RealNode[];
  readonly #genesisTime: number;
  readonly #built: Built[] = [];
  readonly #hashes: string[] = [];

  constructor(nodes: readonly RealNode[], genesisTime: number) {
    this.#nodes = nodes;
    this.#genesisTime = genesisTime;
  }

  get head(): number {
    return this.#built.length;
  }

  async begin(): Promise<void> {
    const { url } = this.#first();
    const genesis = await rpc<{ hash: string }>(url, "eth_getBlockByNumber", ["0x0", false]);
    this.#hashes.push(genesis.hash);
    // It waits for a beacon node to tell it what to do.
    await Promise.all(this.#nodes.map((node) => this.#choose(node, 0)));
  }

  async advance(transactions: readonly string[] = []): Promise<void> {
    const first = this.#first();
    for (const raw of transactions) await rpc(first.url, "eth_sendRawTransaction", [raw]);
    const time = this.#genesisTime + this.head + 1;
    const { payloadId } = await this.#choose(first, this.head, {
      timestamp: `0x${time.toString(16)}`,
      prevRandao: ZERO,
      suggestedFeeRecipient: COINBASE,
      withdrawals: [],
      parentBeaconBlockRoot: ZERO,
    });
    const built = await rpc<Built>(engineOf(first), "engine_getPayloadV4", [payloadId]);
    this.#built.push(built);
    this.#hashes.push(built.executionPayload.blockHash);
    await Promise.all(this.#nodes.map((node) => this.#give(node, this.head)));
  }

  async replay(node: RealNode): Promise<void> {
    for (let number = 1; number <= this.head; number += 1) await this.#give(node, number);
  }

  /** Block `number`, as the head. */
  async #give(node: RealNode, number: number): Promise<void> {
    const { executionPayload, executionRequests } = this.#built[number - 1] as Built;
    const params = [executionPayload, [], ZERO, executionRequests];
    const status = await rpc<Status>(engineOf(node), "engine_newPayloadV4", params);
    requireValid(status, number);
    await this.#choose(node, number);
  }

  async #choose(node: RealNode, number: number, attributes?: object): Promise<Updated> {
    const hashAt = (at: number) => this.#hashes[Math.max(0, at)];
    const state = {
      headBlockHash: hashAt(number),
      safeBlockHash: hashAt(number - SAFE),
      finalizedBlockHash: hashAt(number - FINALIZED),
    };
    const params = [state, attributes ?? null];
    const updated = await rpc<Updated>(engineOf(node), "engine_forkchoiceUpdatedV3", params);
    requireValid(updated.payloadStatus, number);
    return updated;
  }

  #first(): RealNode {
    const [first] = this.#nodes;
    if (first === undefined) throw new Error("there is no node to drive");
    return first;
  }
}

function requireValid({ status, validationError }: Status, number: number): void {
  if (status !== "VALID") throw new Error(`block ${number}: ${status} ${validationError ?? ""}`);
}
