import { strict as assert } from "node:assert";
import type { TakeRequest } from "../../src/storage/ledger-store.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

type Opening = {
  readonly by: SimulatedProcess;
  readonly pool: number | null;
  readonly spareOf: number | null;
};

/** Which process was the first to take from a day of an owner, and with which balance. */
export class Openings {
  readonly #byOwner = new Map<string, Map<number, Opening>>();

  /** A take of today is sent. A process never lets a day share a balance that came in turn. */
  sent(by: SimulatedProcess, { owner, day, pool }: TakeRequest): void {
    const isInTurn = by.startedOn === day || (by.trustedAtMidnight && !by.passedWrongMidnight);
    if (day === by.day && by.isRight && isInTurn) {
      assert.equal(pool, null, `day ${day} of ${owner} came in turn, and shares a balance`);
    }
  }

  /** It is carried out: the first of a day decides. */
  carriedOut(by: SimulatedProcess, { owner, day, pool, spare = 0 }: TakeRequest): void {
    const days = this.#byOwner.get(owner) ?? new Map<number, Opening>();
    this.#byOwner.set(owner, days);
    if (days.has(day)) return;
    const others = [...days.values()].filter(({ spareOf }) => pool !== null && spareOf === pool);
    const isSpare = others.length < spare;
    days.set(day, { by, pool: isSpare ? null : pool, spareOf: isSpare ? pool : null });
  }

  isOpen(owner: string, day: number): boolean {
    return this.#byOwner.get(owner)?.has(day) ?? false;
  }

  /** Days of an owner by the process that opened them, or by its gateway. */
  *opened(
    owner: string,
    by: "process" | "gateway",
  ): Iterable<{ readonly by: readonly SimulatedProcess[]; readonly days: readonly number[] }> {
    const openings = [...(this.#byOwner.get(owner) ?? [])];
    const keyOf = ({ name, gateway }: SimulatedProcess) => (by === "process" ? name : gateway);
    for (const each of Map.groupBy(openings, ([, opening]) => keyOf(opening.by)).values()) {
      yield { by: each.map(([, opening]) => opening.by), days: each.map(([day]) => day) };
    }
  }

  /** The other days that share this one's balance. */
  sharing(owner: string, day: number): readonly number[] {
    const days = this.#byOwner.get(owner) ?? new Map<number, Opening>();
    const pool = days.get(day)?.pool ?? null;
    if (pool === null) return [];
    return [...days]
      .filter(([each, its]) => each !== day && its.pool === pool)
      .map(([each]) => each);
  }
}
