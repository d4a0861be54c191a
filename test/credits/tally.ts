import { PRICES, type Price, type Question } from "./calls.ts";

type Answer = {
  readonly id: number | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
};

const PAYMENT_REQUIRED = 402;
const TOO_MANY_REQUESTS = 429;
const METHOD_NOT_FOUND = -32601;

/** What clients were answered, and so know of what they spent. */
export class Tally {
  /** Credits of the calls that were answered. */
  served = 0;
  servedOverHttp = 0;
  /** The sum of X-Credits-Charged. */
  chargedOverHttp = 0;
  /** Calls by what became of them. */
  readonly calls = { served: 0, notServed: 0, exhausted: 0, tooFast: 0 };
  /** When the credits of each served message came, milliseconds of the monotonic clock. */
  readonly arrivals: { readonly atMs: number; readonly credits: number }[] = [];
  /** Calls on connections that broke: nobody told their clients what became of them. */
  readonly doubtful: Question[] = [];
  /** Close codes of WebSockets. */
  readonly closed: number[] = [];
  /** What no client should have seen. */
  readonly odd: string[] = [];
  readonly #watchers: { readonly credits: number; readonly reached: () => void }[] = [];

  /** Counts an answer to a message: what it served, and the least price that was refused. */
  read(message: readonly Question[], text: string): { served: number; refused: number } {
    const answer = JSON.parse(text) as Answer | Answer[];
    const outcome = { served: 0, refused: Number.POSITIVE_INFINITY };
    for (const [index, question] of message.entries()) {
      const own = Array.isArray(answer) ? answer[index] : answer;
      const wholly = !Array.isArray(answer) && own?.id === null && own.error !== undefined;
      if (own === undefined || !(wholly || own.id === question.id)) this.odd.push(text);
      else this.#count(question, own, outcome);
    }
    if (outcome.served > 0) this.#serve(outcome.served);
    return outcome;
  }

  /** Of an answer over HTTP. */
  charge(served: number, header: string | undefined): void {
    this.servedOverHttp += served;
    this.chargedOverHttp += Number(header);
  }

  /** Resolves once so many credits are served. */
  reached(credits: number): Promise<void> {
    return new Promise((reached) => {
      this.#watchers.push({ credits, reached });
      this.#tell();
    });
  }

  #count(
    { credits }: Question,
    { error }: Answer,
    outcome: { served: number; refused: number },
  ): void {
    if (error === undefined) {
      this.calls.served += 1;
      outcome.served += credits;
    } else if (error.code === PAYMENT_REQUIRED) {
      this.calls.exhausted += 1;
      outcome.refused = Math.min(outcome.refused, credits);
    } else if (error.code === TOO_MANY_REQUESTS) this.calls.tooFast += 1;
    else if (error.code === METHOD_NOT_FOUND) this.calls.notServed += 1;
    else this.odd.push(JSON.stringify(error));
  }

  #serve(credits: number): void {
    this.served += credits;
    this.arrivals.push({ atMs: performance.now(), credits });
    this.#tell();
  }

  #tell(): void {
    for (const { credits, reached } of this.#watchers) if (this.served >= credits) reached();
  }
}

export const sumOf = (questions: readonly Question[]): number =>
  questions.reduce((sum, { credits }) => sum + credits, 0);

/** What a client still asks for: cheaper than what was refused. */
export function below(prices: ReadonlySet<Price>, refused: number): ReadonlySet<Price> {
  return new Set(PRICES.filter((price) => prices.has(price) && price < refused));
}
