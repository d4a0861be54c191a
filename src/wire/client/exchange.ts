import type { Holding, MemoryBudget } from "../../lib/memory-budget.ts";
import { keptBytes } from "../bytes/read-buffer.ts";
import type { Response } from "./response-reader.ts";

export type Outcome =
  | ({ readonly kind: "response" } & Response)
  | { readonly kind: "too_large" }
  /** Others needed the memory of its body. */
  | { readonly kind: "no_room" }
  | Failure;

/** Without a response. */
export type Failure =
  /** It was not sent: too many wait for a connection. */
  | { readonly kind: "no_place" }
  /** No connection, it broke, or it speaks no HTTP; `code` is the system's name for it, or ours. */
  | { readonly kind: "unreachable"; readonly code: string; readonly isStale?: boolean };

export type ExchangeOptions = {
  /** The response's body may have so many. */
  readonly maxBytes: number;
  /** The most that connecting may take. */
  readonly timeoutMs: number;
  /** Counts the bytes held of the body for `account`; without one the exchange is the gateway's own. */
  readonly memory?: MemoryBudget | undefined;
  readonly account?: string | undefined;
  /** The account's key; its keys take turns. */
  readonly key?: string | undefined;
};

/** One request, which is told what becomes of it: once, or never where it is cancelled. */
export abstract class Exchange {
  /** The whole request: head and body, a character per byte. Not before a connection carries it. */
  abstract readonly request: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** The connection that carries it, or is being opened for it alone. */
  carrier: { readonly abort: () => void } | undefined;
  /** When it began to wait for a connection, monotonic milliseconds. */
  waitsSinceMs = 0;
  /** How long it waited for a connection, once it is carried: the node does not know of that. */
  waitedMs = 0;
  /** The failure that it is about to be told: it waited in vain. */
  failure: Failure | undefined;
  /** Neighbours in the line. */
  next: Exchange | undefined;
  previous: Exchange | undefined;

  /** Undefined for the gateway's own. */
  readonly account: string | undefined;
  readonly key: string;
  readonly #memory: MemoryBudget | undefined;
  #holding: Holding | undefined;

  constructor({ maxBytes, timeoutMs, memory, account, key = "" }: ExchangeOptions) {
    this.maxBytes = maxBytes;
    this.timeoutMs = timeoutMs;
    this.#memory = memory;
    this.account = account;
    this.key = key;
  }

  /** Counts the bytes that are held of its body. `giveUp` has to end it when others need them. */
  hold(bytes: number, giveUp: () => void): void {
    if (this.account === undefined) return;
    this.#holding ??= this.#memory?.open(this.account, giveUp);
    this.#holding?.set(bytes);
  }

  /** Its body is somebody's, or nobody's. */
  letGo(): void {
    this.#holding?.close();
    this.#holding = undefined;
  }

  /** The memory of the body may be the next read's as soon as this returns. */
  abstract done(outcome: Outcome): void;
}

/** One that tells somebody else, who may keep what is told. */
export class ToldExchange extends Exchange {
  readonly request: string;
  readonly #told: (outcome: Outcome) => void;

  constructor(
    { request, ...options }: ExchangeOptions & Pick<Exchange, "request">,
    told: (outcome: Outcome) => void,
  ) {
    super(options);
    this.request = request;
    this.#told = told;
  }

  done(outcome: Outcome): void {
    const isBody = outcome.kind === "response";
    this.#told(isBody ? { ...outcome, body: keptBytes(outcome.body) } : outcome);
  }
}

/** Exchanges that wait for a connection: first come, first served; any may leave at no cost. */
export class ExchangeLine {
  size = 0;
  #first: Exchange | undefined;
  #last: Exchange | undefined;

  get first(): Exchange | undefined {
    return this.#first;
  }

  get last(): Exchange | undefined {
    return this.#last;
  }

  push(exchange: Exchange): void {
    exchange.previous = this.#last;
    if (this.#last === undefined) this.#first = exchange;
    else this.#last.next = exchange;
    this.#last = exchange;
    this.size += 1;
  }

  shift(): Exchange | undefined {
    const first = this.#first;
    if (first !== undefined) this.delete(first);
    return first;
  }

  /** False where it was not in the line. */
  delete(exchange: Exchange): boolean {
    const { next, previous } = exchange;
    if (previous === undefined && this.#first !== exchange) return false;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    exchange.next = undefined;
    exchange.previous = undefined;
    this.size -= 1;
    return true;
  }
}
