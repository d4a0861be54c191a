import type {
  Day,
  DayBalance,
  GivenBack,
  Grant,
  LedgerStore,
  TakeRequest,
} from "../../src/storage/ledger-store.ts";
import { StorageError } from "../../src/storage/store.ts";

/** A statement on its way: not at the store yet, or carried out and its answer on its way back. */
export type Statement = {
  readonly kind: "take" | "giveBack" | "read";
  readonly owner: string;
  readonly day: Day;
  /** What it asks for, or gives back: of a total, what the store has not heard of. */
  credits: number;
  /** A take that was asked before. */
  readonly isRepeated: boolean;
  /** What the store granted, once it did. */
  granted: Grant | undefined;
  carriedOut: boolean;
  readonly carryOut: () => Promise<void>;
  readonly answer: () => void;
  /** `isOutcomeUnknown`: as the store says it where its thread died. */
  readonly fail: (isOutcomeUnknown: boolean) => void;
};

type Watch = {
  readonly sent: (statement: Statement) => void;
  readonly taking: (request: TakeRequest) => void;
  /** The store has carried out a take. */
  readonly taken: (request: TakeRequest) => void;
};

/**
 * One process's way to the store: statements arrive, and are answered, when the simulation says so,
 * in any order.
 */
export class SimulatedStore implements Pick<LedgerStore, "take" | "giveBack" | "read"> {
  readonly statements = new Set<Statement>();
  readonly #store: LedgerStore;
  readonly #watch: Watch;
  #lastNumber = 0;
  /** The newest take of each owner that was carried out. The store does nothing for an earlier one. */
  readonly #carriedOut = new Map<string, number>();
  /** What has arrived of the newest series of each owner and day. What comes of an earlier one changes nothing. */
  readonly #arrived = new Map<string, { readonly series: number; total: number }>();

  constructor(store: LedgerStore, watch: Watch) {
    this.#store = store;
    this.#watch = watch;
  }

  take = (request: TakeRequest): Promise<Grant> => {
    const { owner, day, want, reserve = 0, number } = request;
    this.#watch.taking(request);
    const isRepeated = number <= this.#lastNumber;
    this.#lastNumber = Math.max(this.#lastNumber, number);
    return this.#send(
      { kind: "take", owner, day, credits: want + reserve, isRepeated },
      async (statement) => {
        const grant = await this.#store.take(request);
        if (number <= (this.#carriedOut.get(owner) ?? 0)) return grant;
        this.#carriedOut.set(owner, number);
        const { granted, reserved = 0 } = grant;
        statement.granted = { ...grant, granted: granted + reserved };
        this.#watch.taken(request);
        return grant;
      },
    );
  };

  giveBack = (given: GivenBack): Promise<void> => {
    const { owner, day, series, total } = given;
    const what = { kind: "giveBack", owner, day, credits: 0, isRepeated: false } as const;
    return this.#send(what, async (statement) => {
      const last = this.#arrived.get(`${owner} ${day}`) ?? { series, total: 0 };
      const known = last.series < series ? { series, total: 0 } : last;
      this.#arrived.set(`${owner} ${day}`, known);
      statement.credits = known.series > series ? 0 : Math.max(0, total - known.total);
      known.total += statement.credits;
      await this.#store.giveBack(given);
    });
  };

  read = (owner: string, day: Day): Promise<DayBalance> =>
    this.#send({ kind: "read", owner, day, credits: 0, isRepeated: false }, () =>
      this.#store.read(owner, day),
    );

  #send<Answer>(
    what: Pick<Statement, "kind" | "owner" | "day" | "credits" | "isRepeated">,
    run: (statement: Statement) => Promise<Answer>,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let result: Answer;
      const end = () => this.statements.delete(statement);
      const statement: Statement = {
        ...what,
        granted: undefined,
        carriedOut: false,
        carryOut: async () => {
          statement.carriedOut = true;
          result = await run(statement);
        },
        answer: () => {
          end();
          resolve(result);
        },
        fail: (isOutcomeUnknown) => {
          end();
          reject(new StorageError("the simulated store does not answer", { isOutcomeUnknown }));
        },
      };
      this.statements.add(statement);
      this.#watch.sent(statement);
    });
  }
}
