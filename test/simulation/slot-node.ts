import type { Asker, Transport, UpstreamRequest } from "../../src/transports/transport.ts";
import type { UpstreamAnswer } from "../../src/transports/upstream-answer.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** As on Solana: a slot's time, and how far what is confirmed and finalized lies behind. */
const SLOT_MS = 400;
const CONFIRMED_BEHIND = 1;
const FINALIZED_BEHIND = 32;
const ANSWER_MS = 5;
const FIRST_SLOT = 1000;
const GENESIS = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

const result = (json: string): UpstreamAnswer => ({ kind: "result", result: [Buffer.from(json)] });
const failure = (code: number, message: string): UpstreamAnswer => ({
  kind: "error",
  status: 200,
  error: { code, message },
});

/** Every seventh slot was skipped. */
export const isSkipped = (slot: number): boolean => slot % 7 === 0;

/** A node of a slot network on simulated time; what is wrong with it is set from outside. */
export class SlotNode implements Transport {
  readonly name: string;
  readonly isConnected = true;
  readonly asked: UpstreamRequest[] = [];
  isDown = false;
  isUnhealthy = false;
  /** Slots behind the others. */
  lag = 0;
  genesis = GENESIS;
  readonly #time: VirtualTime;

  constructor(name: string, time: VirtualTime) {
    this.name = name;
    this.#time = time;
  }

  get slot(): number {
    return FIRST_SLOT + Math.floor(this.#time.nowMs / SLOT_MS) - this.lag;
  }

  call(request: UpstreamRequest, asker: Asker): { cancel: () => void } {
    this.asked.push(request);
    let isOver = false;
    this.#time.after(ANSWER_MS, () => {
      if (!isOver) asker.answered(this.#answer(request));
    });
    return {
      cancel: () => {
        isOver = true;
      },
    };
  }

  async close(): Promise<void> {}

  head(commitment = "finalized"): number {
    if (commitment === "processed") return this.slot;
    return this.slot - (commitment === "confirmed" ? CONFIRMED_BEHIND : FINALIZED_BEHIND);
  }

  #answer({ method, params }: UpstreamRequest): UpstreamAnswer {
    if (this.isDown) return { kind: "unreachable", code: "ECONNREFUSED" };
    const [first, second] = JSON.parse(params);
    if (method === "getGenesisHash") return result(`"${this.genesis}"`);
    if (this.isUnhealthy) return failure(-32005, "Node is behind by 200 slots");
    if (method === "getSlot") return result(String(this.head(first?.commitment)));
    if (method !== "getBlock") return failure(-32601, "Method not found");
    if (first > this.head(second.commitment)) {
      return failure(-32004, `Block not available for slot ${first}`);
    }
    if (isSkipped(first)) {
      const text = `Slot ${first} was skipped, or missing due to ledger jump to recent snapshot`;
      return failure(-32007, text);
    }
    return result(`{"blockHeight":${first},"blockhash":"${this.name}"}`);
  }
}
