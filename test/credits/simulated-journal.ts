import type {
  JournalledLease,
  LeaseJournal,
  LeftLease,
  LeftLeases,
} from "../../src/storage/lease-journal.ts";
import type { Day, TakeRequest } from "../../src/storage/ledger-store.ts";

/** What one process has written, which outlives it. */
export class SimulatedJournal implements LeaseJournal, LeftLeases {
  readonly generation = 1;
  readonly #process: string;
  readonly #leases = new Map<string, LeftLease>();

  constructor(process: string) {
    this.#process = process;
  }

  note(lease: JournalledLease): void {
    const take = this.#leases.get(nameOf(lease))?.take;
    this.#leases.set(nameOf(lease), { ...lease, process: this.#process, take });
  }

  answered(lease: JournalledLease): void {
    this.#leases.set(nameOf(lease), { ...lease, process: this.#process, take: undefined });
  }

  asked(take: TakeRequest): void {
    const { owner, day, process } = take;
    const known = this.#leases.get(nameOf(take)) ?? { series: 0, total: 0 };
    this.#leases.set(nameOf(take), { ...known, owner, day, process, take });
  }

  drop(owner: string, day: Day): void {
    this.#leases.delete(nameOf({ owner, day }));
  }

  left = (most: number): readonly LeftLease[] => [...this.#leases.values()].slice(0, most);

  gone = (lease: LeftLease): void => this.drop(lease.owner, lease.day);
}

const nameOf = ({ owner, day }: Pick<JournalledLease, "owner" | "day">): string =>
  `${owner} ${day}`;
