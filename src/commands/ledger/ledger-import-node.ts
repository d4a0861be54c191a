import { DEFAULT_WIRE } from "../../config/default-wire.ts";
import { systemClock } from "../../lib/clock.ts";
import { TimerWheel } from "../../lib/timer-wheel.ts";
import { HttpUpstream } from "../../transports/http-upstream.ts";
import { EventLoop } from "../../wire/event-loop.ts";
import { CommandError } from "../output.ts";
import { ImportInquiry, NodeFault } from "./ledger-import-inquiry.ts";
import type { SlotRange } from "./ledger-import-slots.ts";
import type { BlockSource, Pause } from "./ledger-import-source.ts";

const FINALIZED = { commitment: "finalized" };
/** The highest version number. Some nodes take only the versions that they know. */
const ANY_VERSION = 255;
const KNOWN_VERSION = 0;
const INVALID_PARAMS = -32602;
/** More would not go into a ledger either. */
const MAX_RESPONSE_BYTES = 128 * 1024 * 1024;
const MAX_CONNECTIONS = 4;

/** An RPC node: what it has finalized. @throws CommandError where the URL is none */
export function openNodeSource(url: string, parts: { readonly pause: Pause }): BlockSource {
  // Its own error would repeat the URL, which may hold a key.
  if (!URL.canParse(url)) throw new CommandError("the URL after --from cannot be read");
  const node = new HttpUpstream(
    {
      name: "node",
      url,
      headers: {},
      maxConnections: MAX_CONNECTIONS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    },
    { timers: new TimerWheel(systemClock), loop: new EventLoop(DEFAULT_WIRE) },
  );
  const ended = new AbortController();
  const pause = (ms: number) => parts.pause(ms, ended.signal);
  return new NodeSource(new ImportInquiry(node, { pause }), async () => {
    // After one fault, the questions beside it are not to be asked again.
    ended.abort();
    await node.close();
  });
}

class NodeSource implements BlockSource {
  readonly #inquiry: ImportInquiry;
  readonly close: () => Promise<void>;
  #version = ANY_VERSION;

  constructor(inquiry: ImportInquiry, close: () => Promise<void>) {
    this.#inquiry = inquiry;
    this.close = close;
  }

  async genesisHash(): Promise<string> {
    const hash = await this.#inquiry.ask("getGenesisHash", []);
    if (typeof hash === "string") return hash;
    throw new CommandError("the node's getGenesisHash gives something else than a text");
  }

  async requireSlots({ first, last }: SlotRange): Promise<void> {
    const available = await this.#slot("getFirstAvailableBlock", []);
    if (first < available) {
      throw new CommandError(
        `the node has no block before slot ${available}: import --slots ${available}-…, or from ` +
          "a node with more of its history",
      );
    }
    const finalized = await this.#slot("getSlot", [FINALIZED]);
    if (last > finalized) {
      throw new CommandError(`the node's last finalized slot is ${finalized}, before ${last}`);
    }
  }

  async slotsIn({ first, last }: SlotRange): Promise<readonly number[]> {
    const slots = await this.#inquiry.ask("getBlocks", [first, last, FINALIZED]);
    const isListed = (slot: unknown): boolean =>
      Number.isSafeInteger(slot) && Number(slot) >= first && Number(slot) <= last;
    if (Array.isArray(slots) && slots.every(isListed)) return slots;
    throw new CommandError("the node's getBlocks gives something else than slots");
  }

  /** @throws CommandError where the node does not give what getBlocks told of */
  async block(slot: number): Promise<string> {
    const version = this.#version;
    try {
      return await this.#blockText(slot, version);
    } catch (error) {
      const isRefused = error instanceof NodeFault && error.code === INVALID_PARAMS;
      if (!isRefused || version === KNOWN_VERSION) throw error;
      this.#version = KNOWN_VERSION;
      return await this.#blockText(slot, KNOWN_VERSION);
    }
  }

  #blockText(slot: number, maxSupportedTransactionVersion: number): Promise<string> {
    const form = { encoding: "base64", rewards: true, transactionDetails: "full" };
    const config = { ...FINALIZED, ...form, maxSupportedTransactionVersion };
    return this.#inquiry.askText("getBlock", [slot, config]);
  }

  async #slot(method: string, params: readonly unknown[]): Promise<number> {
    const slot = await this.#inquiry.ask(method, params);
    if (Number.isSafeInteger(slot)) return Number(slot);
    throw new CommandError(`the node's ${method} gives something else than a slot`);
  }
}
