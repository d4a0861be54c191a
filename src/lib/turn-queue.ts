/** To end a call takes 20 to 40 us, most of which is the write to its client. */
const ONE_TURN = 128;
/** The most items that are done and still stand in the queue. */
const MOST_DONE = 1024;

/**
 * Work of which thousands of pieces may come at once, such as all calls that waited for a node that is
 * gone: the first ones are done at once, and then some in each turn of the event loop.
 */
export class TurnQueue<Item> {
  readonly #run: (item: Item) => void;
  readonly #afterReads: (run: () => void) => void;
  #waiting: Item[] = [];
  /** The index in `#waiting` of the first item that is not done. */
  #next = 0;
  #doneInTurn = 0;

  /** `afterReads` begins the next turn. */
  constructor(
    run: (item: Item) => void,
    afterReads: (run: () => void) => void = (turn) => void setImmediate(turn),
  ) {
    this.#run = run;
    this.#afterReads = afterReads;
  }

  push(item: Item): void {
    if (this.#doneInTurn < ONE_TURN && this.#next === this.#waiting.length) this.#do(item);
    else this.#waiting.push(item);
  }

  #do(item: Item): void {
    if (this.#doneInTurn === 0) this.#afterReads(this.#turn);
    this.#doneInTurn += 1;
    this.#run(item);
  }

  readonly #turn = (): void => {
    this.#doneInTurn = 0;
    // Under a flood it may never be empty.
    if (this.#next >= MOST_DONE) {
      this.#waiting.splice(0, this.#next);
      this.#next = 0;
    }
    while (this.#doneInTurn < ONE_TURN) {
      const item = this.#waiting[this.#next];
      if (item === undefined) {
        this.#waiting = [];
        this.#next = 0;
        return;
      }
      this.#next += 1;
      this.#do(item);
    }
  };
}

/** Runs it for each: at once for the first ones, for the others in the turns to come. */
export function inTurns<Item>(items: Iterable<Item>, run: (item: Item) => void): void {
  const queue = new TurnQueue(run);
  for (const item of items) queue.push(item);
}

/** The same for those who wait now, as long as they do. */
export function waitersInTurns<Waiter>(
  waiting: ReadonlySet<Waiter>,
  run: (waiter: Waiter) => void,
): void {
  inTurns([...waiting], (waiter) => {
    if (waiting.has(waiter)) run(waiter);
  });
}
