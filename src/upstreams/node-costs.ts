import type { Clock, UnixMs } from "../lib/clock.ts";
import type { Timer, Timers } from "../lib/timer-wheel.ts";
import type { Day } from "../storage/ledger-store.ts";
import type { PartnerStore } from "../storage/store.ts";
import { utcMonth } from "../storage/utc-month.ts";
import type { Asker, InAir, Transport, UpstreamRequest } from "../transports/transport.ts";

export type NodeCostsOptions = {
  /** The units are counted in the storage under this name, by all gateways. */
  readonly key: string;
  /** Units that the provider bills for a call; `methods`: for those that cost something else. */
  readonly perCall: number;
  readonly methods: Readonly<Record<string, number>>;
  /** The most of a UTC month. */
  readonly monthly?: number | undefined;
};

export type NodeCostsParts = {
  readonly store: Pick<PartnerStore, "take" | "read">;
  readonly clock: Pick<Clock, "now">;
  readonly timers: Timers;
  /** The metric. */
  readonly count: (units: number) => void;
  readonly onStoreFailure: (error: unknown) => void;
  /** The month's units are used up, or a new month has begun. */
  readonly changed: () => void;
};

const WRITE_EVERY_MS = 1000;
/** How soon a new month is noticed. */
const LOOK_EVERY_MS = 60_000;

/**
 * What one node of a provider costs, in the provider's own units: all that it is sent, the gateway's own questions too.
 * They are counted in the storage each second, so a month's bound is passed by what all gateways send in a second, or
 * while the storage is away.
 */
export class NodeCosts {
  readonly monthly: number | undefined;
  readonly #key: string;
  readonly #perCall: number;
  readonly #methods: ReadonlyMap<string, number>;
  readonly #parts: NodeCostsParts;
  #unwritten = 0;
  #writing: Promise<void> | undefined;
  #isFailing = false;
  /** The first day of the month that is used up. */
  #usedUpIn: Day | undefined;
  #timer: Timer | undefined;

  constructor({ key, perCall, methods, monthly }: NodeCostsOptions, parts: NodeCostsParts) {
    this.#key = key;
    this.#perCall = perCall;
    this.#methods = new Map(Object.entries(methods));
    this.monthly = monthly;
    this.#parts = parts;
  }

  get isUsedUp(): boolean {
    return this.#usedUpIn !== undefined;
  }

  /** Counts a call that is about to be sent; false: the month's units are used up. */
  trySpend(method: string): boolean {
    if (this.#usedUpIn !== undefined) return false;
    const units = this.#methods.get(method) ?? this.#perCall;
    this.#parts.count(units);
    this.#unwritten += units;
    this.#timer ??= this.#parts.timers.set(WRITE_EVERY_MS, () => this.#due());
    return true;
  }

  /** The units of this UTC month, of all gateways. Rejects where the storage does not answer. */
  async month(): Promise<number> {
    const { month } = await this.#parts.store.read(this.#key, this.#parts.clock.now());
    return month + this.#unwritten;
  }

  /** Writes what was not written yet. */
  async stop(): Promise<void> {
    if (this.#timer !== undefined) this.#parts.timers.clear(this.#timer);
    await this.#writing;
    if (this.#unwritten > 0) await this.#write();
  }

  #due(): void {
    this.#timer = undefined;
    if (this.#usedUpIn !== undefined) {
      this.#look(this.#usedUpIn);
      return;
    }
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
      const waitMs = this.#usedUpIn === undefined ? WRITE_EVERY_MS : LOOK_EVERY_MS;
      const isNeeded = this.#unwritten > 0 || this.#usedUpIn !== undefined;
      if (isNeeded) this.#timer ??= this.#parts.timers.set(waitMs, () => this.#due());
    });
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    const units = this.#unwritten;
    const now = this.#parts.clock.now();
    this.#unwritten = 0;
    const caps = { month: this.monthly };
    try {
      const taken = await this.#parts.store.take({ network: this.#key, now, calls: units, caps });
      this.#isFailing = false;
      if (taken < units) this.#useUp(now);
    } catch (error) {
      this.#unwritten += units;
      if (!this.#isFailing) this.#parts.onStoreFailure(error);
      this.#isFailing = true;
    }
  }

  #useUp(now: UnixMs): void {
    this.#usedUpIn = utcMonth(now).first;
    this.#parts.changed();
  }

  #look(usedUpIn: Day): void {
    if (utcMonth(this.#parts.clock.now()).first === usedUpIn) {
      this.#timer = this.#parts.timers.set(LOOK_EVERY_MS, () => this.#due());
      return;
    }
    this.#usedUpIn = undefined;
    this.#parts.changed();
  }
}

const UNSENT: InAir = Object.freeze({ cancel: () => undefined });

/** The way to a node whose calls are counted; where the month is used up nothing is sent. */
export function costed(transport: Transport, costs: NodeCosts): Transport {
  const { release } = transport;
  return {
    get isConnected() {
      return transport.isConnected;
    },
    call: (request: UpstreamRequest, asker: Asker) => {
      if (costs.trySpend(request.method)) return transport.call(request, asker);
      asker.answered({ kind: "no_place" });
      return UNSENT;
    },
    ...(release && { release: (result) => release.call(transport, result) }),
    close: async () => {
      await transport.close();
      await costs.stop();
    },
  };
}
