import {
  type Day,
  type DayBalance,
  type Grant,
  type LedgerStore,
  StorageError,
  type TakeRequest,
} from "../../src/storage/store.ts";

/** A statement on its way: not at the store yet, or carried out and its answer on its way back. */
export type Statement = {
  readonly kind: "take" | "giveBack" | "read";
  readonly owner: string;
  readonly day: Day;
  /** What it asks for, or gives back. */
  readonly credits: number;
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

  constructor(store: LedgerStore, watch: Watch) {
    this.#store = store;
    this.#watch = watch;
  }

  take = (request: TakeRequest): Promise<Grant> => {
    const { owner, day, want } = request;
    this.#watch.taking(request);
    return this.#send({ kind: "take", owner, day, credits: want }, async (statement) => {
      statement.granted = await this.#store.take(request);
      this.#watch.taken(request);
      return statement.granted;
    });
  };

  giveBack = (owner: string, day: Day, credits: number): Promise<void> =>
    this.#send({ kind: "giveBack", owner, day, credits }, () =>
      this.#store.giveBack(owner, day, credits),
    );

  read = (owner: string, day: Day): Promise<DayBalance> =>
    this.#send({ kind: "read", owner, day, credits: 0 }, () => this.#store.read(owner, day));

  #send<Answer>(
    what: Pick<Statement, "kind" | "owner" | "day" | "credits">,
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
