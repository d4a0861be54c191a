import type { CreditRefusal, CreditWaiter, Reservation } from "../../credits/ledger.ts";
import { logCursor } from "../../methods/cursor.ts";
import { closeIfSpent } from "../event-meter.ts";
import type { Subscriber, Subscription } from "../subscription.ts";
import {
  type ChainSubscriptionOptions,
  type ChainSubscriptionParts,
  MOST_BEHIND,
  type Recovered,
} from "./subscription-parts.ts";
import { isSameStep, type NextStep, parentOf, type Standpoint, type Step } from "./told-block.ts";
import type { PartlyTold, Telling, Topic } from "./topic.ts";

/** Credits that cannot be counted, or a node that does not tell: it is tried again. */
const AGAIN_MS = 500;
/** Of a block that no node knows any more. */
const MOST_TRIES = 20;
/** So often the head is waited for that somebody else has told of. */
const MOST_WAITS = 10;

const NOTHING_TO_DO = (): void => undefined;
type Charging = { readonly telling: Telling; readonly step: Step };

/**
 * One subscription to a chain. It goes from step to step as far as its client reads, its credits reach and nodes tell,
 * and holds nothing but where it stands.
 */
export class ChainSubscription implements Subscription, CreditWaiter {
  readonly id: string;
  readonly #subscriber: Subscriber;
  readonly #topic: Topic;
  readonly #parts: ChainSubscriptionParts;
  readonly #beginning: string;
  readonly #over: (() => void) | undefined;
  /** Undefined before the first block of the chain is known. */
  #at: Standpoint | undefined;
  #partly: PartlyTold | undefined;
  /** Where it was before it went back without a word to its client. */
  #before: Standpoint | undefined;
  /** Set while something is waited for: gives it up. */
  #waiting: (() => void) | undefined;
  /** What that is needed for; undefined where it is credits. */
  #waitsFor: NextStep | undefined;
  /** The hash of the block whose details were waited for last. */
  #awaits: string | undefined;
  /** What its credits are waited for. */
  #charging: Charging | undefined;
  #isOver = false;
  /** How often its block was asked for in vain. */
  #tries = 0;

  constructor(
    { id, beginning, topic, start, over }: ChainSubscriptionOptions,
    subscriber: Subscriber,
    parts: ChainSubscriptionParts,
  ) {
    this.id = id;
    this.#topic = topic;
    this.#subscriber = subscriber;
    this.#parts = parts;
    this.#at = start;
    this.#partly = start?.partly;
    this.#beginning = beginning;
    this.#over = over;
  }

  get lateCursor(): string | undefined {
    const isLate = this.#at !== undefined && this.#at.hash !== this.#parts.story.tip?.hash;
    return isLate ? this.cursor : undefined;
  }

  /** How far it has told; undefined while there was nothing to tell. */
  get cursor(): string | undefined {
    const at = this.#at;
    if (at === undefined) return undefined;
    const block = this.#parts.cursorOf(at);
    const told = this.#partly?.told;
    if (told === undefined) return block;
    return "upTo" in told ? logCursor(block, told.upTo) : logCursor(block, told.after, true);
  }

  begin(): void {
    if (this.#isOver) return;
    this.#parts.began(this);
    this.advance();
  }

  /** Tells all that can be told now. Called whenever more may be. */
  advance(): void {
    this.#at ??= this.#parts.story.tip;
    // What was waited for may be needed no more.
    if (this.#waitsFor !== undefined && !isSameStep(this.#waitsFor, this.#next()))
      this.#waitNoMore();
    while (this.#waiting === undefined && !this.#isOver) {
      const step = this.#subscriber.isFull ? "here" : this.#next();
      if (step === "here") {
        this.#parts.rests?.();
        return;
      }
      if (step === "unknown") this.#lookUp();
      else if (step.isAhead === true && this.#mayTry(MOST_WAITS)) this.#tryAgain(step);
      else if (!this.#take(step)) return;
    }
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.ended(this);
    this.#waitNoMore();
  }

  #waitNoMore(): void {
    this.#waiting?.();
    this.#waiting = undefined;
    this.#waitsFor = undefined;
  }

  #next(): NextStep {
    const { story } = this.#parts;
    if (this.#at === undefined) return "here";
    // The chain may have come back to some of what its client knows.
    if (this.#before && story.has(this.#at)) this.#at = story.upTo(this.#before, this.#at);
    // The rest of a block that was told in part comes before the next one, while it is on the chain.
    const partly = this.#partly;
    if (partly === undefined || !story.has(this.#at)) return story.next(this.#at);
    return { kind: "joins", block: partly.block };
  }

  #lookUp(): void {
    const at = this.#at as Standpoint;
    const { story, meter, recovery } = this.#parts;
    if (story.tip !== undefined && story.tip.number - at.number > MOST_BEHIND) this.#fallBehind();
    else if (!meter.mayAsk(this.#subscriber.identity)) this.#tryAgain();
    else {
      this.#wait<Recovered>(
        (told) => recovery.next(at, told),
        (found) => this.#found(found),
        "unknown",
      );
    }
  }

  #found(found: Recovered): void {
    if (found === "known") this.#tries = 0;
    else if (this.#mayTry(this.#parts.mostTries ?? MOST_TRIES)) this.#tryAgain("unknown");
    else {
      this.#parts.recovery.lose(this.#at as Standpoint);
      this.#fallBehind();
    }
  }

  #mayTry(most: number): boolean {
    this.#tries += 1;
    return this.#tries <= most;
  }

  /** False where it goes on once the details of the block are known, or given up: it is told of either. */
  #take(step: Step): boolean {
    const telling = this.#topic.tell(step, this.#partly?.told);
    if (telling === "wanted") return this.#awaitDetails(step);
    if (telling !== undefined) this.#charge(telling, step);
    else {
      const before = step.kind === "leaves" ? (this.#before ?? this.#at) : undefined;
      this.#move(step);
      this.#before = before;
    }
    return true;
  }

  #awaitDetails(step: Step): false {
    const { details } = this.#topic;
    const { hash } = step.block;
    const isGivenUp = this.#awaits === hash && details?.isGivenUp(step.block) !== false;
    this.#awaits = hash;
    if (isGivenUp) this.#fallBehind();
    else details?.fetch(step);
    return false;
  }

  #charge(telling: Telling, step: Step): void {
    if (telling.event.credits === 0) {
      this.#send(telling);
      this.#told(telling, step);
      return;
    }
    const outcome = this.#parts.meter.admit(this.#subscriber.identity, telling.event, this);
    if (outcome === "waiting") {
      this.#charging = { telling, step };
      this.#waiting = NOTHING_TO_DO;
    } else this.#charged(outcome, { telling, step });
  }

  /** The ledger's word, where it was waited for. */
  admitted(outcome: Reservation | CreditRefusal): void {
    const charging = this.#charging;
    this.#charging = undefined;
    if (this.#isOver || charging === undefined) {
      if (!("kind" in outcome)) this.#parts.meter.drop(outcome);
      return;
    }
    this.#waiting = undefined;
    this.#charged(outcome, charging);
    this.advance();
  }

  #charged(outcome: Reservation | CreditRefusal, { telling, step }: Charging): void {
    if ("kind" in outcome) {
      if (!closeIfSpent(this.#subscriber, outcome)) this.#tryAgain();
      return;
    }
    const { identity, network } = this.#subscriber;
    const bytes = this.#send(telling);
    this.#parts.meter.sent(outcome, telling.event, { identity, network, bytes });
    this.#told(telling, step);
  }

  #told({ isLast }: Telling, step: Step): void {
    this.#move(step);
    if (isLast !== true) return;
    this.end();
    this.#over?.();
  }

  /** Returns how many bytes they are. */
  #send({ all }: Telling): number {
    let bytes = 0;
    for (const rest of all) {
      bytes += this.#beginning.length + rest.length;
      this.#subscriber.send([this.#beginning + rest]);
    }
    return bytes;
  }

  #move({ kind, block }: Step): void {
    this.#partly = undefined;
    this.#before = undefined;
    // Who has waited for a head above waits once for its whole branch, not for each of its blocks.
    if (kind === "joins") this.#tries = 0;
    this.#at = kind === "joins" ? block : parentOf(block);
  }

  #tryAgain(waitsFor?: NextStep): void {
    const { timers } = this.#parts;
    this.#wait<void>(
      (told) => {
        const timer = timers.set(AGAIN_MS, told);
        return () => timers.clear(timer);
      },
      NOTHING_TO_DO,
      waitsFor,
    );
  }

  #fallBehind(): void {
    const { cursor } = this;
    this.end();
    this.#subscriber.close({ kind: "behind", cursor });
  }

  /**
   * Goes on with what `start` is told, and then with the next step; what is given up tells nothing. It is given up
   * where the next step is another than `waitsFor`, once the chain has changed.
   */
  #wait<What>(
    start: (told: (what: What) => void) => () => void,
    goOn: (what: What) => void,
    waitsFor?: NextStep,
  ): void {
    let isTold = false;
    let isLater = false;
    const giveUp = start((what) => {
      if (isTold || this.#isOver) return;
      isTold = true;
      this.#waiting = undefined;
      this.#waitsFor = undefined;
      goOn(what);
      if (isLater) this.advance();
    });
    isLater = true;
    if (isTold) return;
    this.#waiting = giveUp;
    this.#waitsFor = waitsFor;
  }
}
