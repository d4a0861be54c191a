import type { SystemTimers } from "../../lib/clock.ts";
import type { Logger } from "../../telemetry/log.ts";
import type { SendEvent } from "../api/route.ts";

/** The result of a look, as an event. It is news where `mark` is another than before, or undefined. */
export type Sight = {
  readonly event: string;
  readonly json: string;
  readonly mark?: string;
};

type Watched = {
  readonly listeners: Set<SendEvent>;
  last: Sight | undefined;
  isLooking: boolean;
  stopLooking: () => void;
};

export type LooksParts = {
  readonly everyMs: number;
  readonly clock: SystemTimers;
  readonly log: Logger;
};

/** Looks again and again at each thing that somebody watches, however many do, and at no other. */
export class Looks {
  readonly #look: (name: string) => Promise<Sight>;
  readonly #parts: LooksParts;
  readonly #watched = new Map<string, Watched>();

  constructor(look: (name: string) => Promise<Sight>, parts: LooksParts) {
    this.#look = look;
    this.#parts = parts;
  }

  /** How many things are looked at. */
  get size(): number {
    return this.#watched.size;
  }

  /** Tells what is seen, at once and then each change; returns what ends it. */
  watch(name: string, listener: SendEvent): () => void {
    const watched = this.#watched.get(name) ?? this.#begin(name);
    watched.listeners.add(listener);
    const { last } = watched;
    if (last !== undefined) listener(last.event, last.json);
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size > 0 || this.#watched.get(name) !== watched) return;
      watched.stopLooking();
      this.#watched.delete(name);
    };
  }

  #begin(name: string): Watched {
    const watched: Watched = {
      listeners: new Set(),
      last: undefined,
      isLooking: false,
      stopLooking: this.#parts.clock.every(this.#parts.everyMs, () => {
        void this.#see(name, watched);
      }),
    };
    this.#watched.set(name, watched);
    void this.#see(name, watched);
    return watched;
  }

  /** Never rejects: what could not be seen is looked at again a second later. */
  async #see(name: string, watched: Watched): Promise<void> {
    if (watched.isLooking) return;
    watched.isLooking = true;
    try {
      const sight = await this.#look(name);
      const isNews = sight.mark === undefined || sight.mark !== watched.last?.mark;
      watched.last = sight;
      if (isNews) for (const listener of watched.listeners) listener(sight.event, sight.json);
    } catch (error) {
      this.#parts.log.warn({ cause: String(error) }, "live numbers cannot be read");
    } finally {
      watched.isLooking = false;
    }
  }
}
