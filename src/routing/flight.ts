import type { MonotonicMs } from "../lib/clock.ts";
import type { Timer } from "../lib/timer-wheel.ts";
import type { UpstreamAnswer } from "../transports/upstream-answer.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { judge, labelOf, type Verdict } from "../upstreams/verdict.ts";
import { attemptMs, hedgeMs, LEAST_ATTEMPT_MS, secondOpinionMs } from "./attempt-times.ts";
import { BlockWait } from "./block-wait.ts";
import { conclude, resultOf } from "./conclude.ts";
import { Findings, type Others } from "./findings.ts";
import { type AttemptOwner, FlightAttempt, leave, take } from "./flight-attempt.ts";
import type { FetchOutcome, FlightParts, RoutedRequest } from "./routing.ts";
import { type Choice, choose, isAnyLeft, TIER } from "./selection.ts";
import { StaleNodes } from "./stale-nodes.ts";

/** One call on its way to an answer: attempts one after another, and a hedged one beside the first. */
export class Flight implements Others, AttemptOwner {
  readonly #request: RoutedRequest;
  readonly #parts: FlightParts;
  #isDone = false;
  /** When the step at hand began: one look at the clock for each, since many cost more than it does. */
  #nowMs: MonotonicMs;
  /** An array that something was added to has room for 17, which few need: another is made. */
  #asked: Upstream[] = [];
  #sent: FlightAttempt[] = [];
  #stale: StaleNodes | undefined;
  #verifying = 0;
  /** They never saw the call: too many others waited for them. */
  #full: readonly Upstream[] | undefined;
  /** The time of the last attempt ran out. */
  #isOverdue = false;
  /** Made where it is needed: nearly all calls have their result at once. */
  #found: Findings | undefined;
  #hedge: Timer | undefined;
  #wait: BlockWait | undefined;
  #mayAskPartners: boolean;

  constructor(request: RoutedRequest, parts: FlightParts) {
    this.#request = request;
    this.#parts = parts;
    this.#nowMs = parts.clock.monotonic();
    this.#mayAskPartners = request.need.partner && parts.partners.length > 0;
  }

  /** Begins with this attempt, which was made for its request already. */
  adopt(sent: FlightAttempt): void {
    sent.owner = this;
    this.#asked = [sent.upstream];
    this.#sent = [sent];
  }

  /** For its findings. */
  another(): Upstream | undefined {
    const mayTell = (one: Upstream) =>
      this.#choose([one], TIER.lagging) !== undefined ||
      this.#sent.some(({ upstream, behind }) => upstream === one && !behind);
    return this.#parts.primaries.filter(mayTell).sort((a, b) => b.head - a.head)[0];
  }

  /** Asks the next upstream; with none or no time left, waits or concludes. */
  next(): void {
    if (this.#isDone) return;
    const hasTime = this.#leftMs() >= LEAST_ATTEMPT_MS;
    // A primary that is known to fail is asked after the partners of those who have them.
    const worst =
      this.#mayAskPartners || this.#found?.atHand !== undefined ? TIER.poor : TIER.behind;
    const choice = hasTime
      ? (this.#choose(this.#parts.primaries, worst) ?? this.#chooseStale())
      : undefined;
    if (choice !== undefined && this.#maySend()) {
      this.#wait?.stop();
      this.#send(choice);
      return;
    }
    if (this.#isBusy()) return;
    if (hasTime && this.#waits()) return;
    if (hasTime && this.#mayAskPartners && this.#found?.isNull !== true) this.#askPartner();
    else this.#finish(this.#conclude());
  }

  /** Whether another attempt is within the budget: nodes that are slow must not get twice the calls. */
  #maySend(): boolean {
    if (this.#asked.length === (this.#full?.length ?? 0)) return true;
    if (this.#isOverdue && !this.#parts.retries.tryTake()) return false;
    this.#parts.observer.retried();
    return true;
  }

  #findings(): Findings {
    this.#found ??= new Findings(this.#request.need, this.#parts, this);
    return this.#found;
  }

  #leftMs(): number {
    return this.#request.deadlineMs - this.#nowMs;
  }

  #isBusy(): boolean {
    return this.#sent.length > 0 || this.#verifying > 0;
  }

  #choose(upstreams: readonly Upstream[], worst: number): Choice | undefined {
    const { random } = this.#parts;
    const { need } = this.#request;
    return choose(upstreams, { need, worst, without: this.#asked, random, now: this.#nowMs });
  }

  /** A primary whose connection had ended counts as behind every block until it tells its head again. */
  #chooseStale(): Choice | undefined {
    return this.#stale && this.#choose(this.#stale.primaries, TIER.behind);
  }

  #send(choice: Choice, beside?: Upstream): void {
    const { upstream } = choice;
    this.#asked = this.#asked.length === 0 ? [upstream] : this.#asked.concat(upstream);
    if (upstream.isUnchecked) this.#verify(choice, beside);
    else this.#sendNow(choice, beside);
  }

  #sendNow({ upstream, tier }: Choice, beside: Upstream | undefined): void {
    const request = this.#request;
    const timeoutMs = this.#attemptMs(upstream);
    const beganMs = this.#nowMs;
    const behind = tier === TIER.behind;
    const sent = new FlightAttempt({ upstream, request, beganMs, timeoutMs, behind, beside }, this);
    upstream.begin(sent);
    if (this.#sent.length === 0) this.#sent = [sent];
    else this.#sent.push(sent);
    sent.inAir = upstream.send(sent, sent);
    // After the request is written, whose client waits for it; its transport may have failed at once.
    if (upstream.role === "primary" && !this.#isDone) this.#planSecond();
  }

  #askAgain(upstream: Upstream): void {
    this.#stale ??= new StaleNodes();
    if (this.#stale.add(upstream)) this.#asked.splice(this.#asked.indexOf(upstream), 1);
  }

  /** A node whose chain nobody has checked yet is checked first: it may be of another one. */
  #verify({ upstream, tier }: Choice, beside: Upstream | undefined): void {
    this.#verifying += 1;
    upstream.chain = "unknown";
    this.#parts.verify(upstream, this.#attemptMs(upstream), () => {
      this.#verifying -= 1;
      this.#nowMs = this.#parts.clock.monotonic();
      if (this.#isDone) return;
      if (upstream.chain === "right" && !upstream.drained) {
        this.#sendNow({ upstream, tier }, beside);
        return;
      }
      const isWrong = upstream.chain === "wrong";
      this.#findings().fault(upstream.name, isWrong ? "is of another chain" : "cannot be reached");
      this.next();
    });
  }

  #attemptMs(upstream: Upstream): number {
    const { need } = this.#request;
    // One whose connection had ended is asked again, once it has shown its chain.
    const mayAskOthers = this.#stale?.areLeft(this.#asked) === true || this.#mayAskPartners;
    const order = { upstream, need, asked: this.#asked, mayAskOthers, leftMs: this.#leftMs() };
    return attemptMs(order, this.#parts);
  }

  /** Plans the next step where this attempt takes longer than most of the network's calls. */
  #planSecond(): void {
    if (this.#hedge !== undefined) return;
    const { latency, timers } = this.#parts;
    const p95Ms = latency.value();
    const slowMs = this.#found?.atHand === undefined ? p95Ms : secondOpinionMs(p95Ms);
    const delayMs = hedgeMs(slowMs, this.#leftMs());
    if (delayMs !== undefined) this.#hedge = timers.set(delayMs, this);
  }

  /** The attempt takes long: another is begun beside it. With none left an answer at hand is given. */
  due(): void {
    this.#hedge = undefined;
    this.#nowMs = this.#parts.clock.monotonic();
    const hasTime = this.#leftMs() >= LEAST_ATTEMPT_MS;
    const choice = hasTime ? this.#choose(this.#parts.primaries, TIER.lagging) : undefined;
    const answer = this.#found?.atHand;
    if (answer !== undefined) {
      if (choice === undefined) {
        if (!this.#waits()) this.#finish(answer);
      } else {
        this.#parts.observer.retried();
        this.#send(choice);
      }
      return;
    }
    const [slow] = this.#sent;
    if (slow === undefined || this.#sent.length > 1) return;
    if (choice !== undefined && this.#parts.hedges.tryTake()) {
      this.#send(choice, slow.upstream);
    }
  }

  /** Takes the outcome of one of its attempts. */
  answered(sent: FlightAttempt, answer: UpstreamAnswer): void {
    this.#nowMs = this.#parts.clock.monotonic();
    const verdict = judge(sent.method, answer);
    sent.ended(this.#nowMs, labelOf(verdict));
    const conclusion = { answer, verdict, now: this.#nowMs };
    take(sent, this.#sent);
    // Nothing is to be weighed against it: no answer that came before, and no hedge that it is.
    if (verdict.kind === "result" && this.#found === undefined && sent.beside === undefined) {
      // The client first: it does not wait for what its answer tells of the node.
      this.#finish(resultOf(sent, verdict.result, this.#parts));
      conclude(sent, conclusion, this.#parts);
      return;
    }
    conclude(sent, conclusion, this.#parts);
    if (!this.#isDone) this.#weigh(sent, verdict);
  }

  /** Weighs an answer that does not end the call by itself. */
  #weigh(sent: FlightAttempt, verdict: Verdict): void {
    const { upstream, beside } = sent;
    this.#endHedge();
    this.#isOverdue = verdict.kind === "broken" && verdict.label === "timeout";
    if (verdict.kind === "no_place") this.#full = [...(this.#full ?? []), upstream];
    if (verdict.kind === "stale") this.#askAgain(upstream);
    if (verdict.kind === "result") this.#found?.contradict(verdict.result);
    const outcome =
      verdict.kind === "result"
        ? resultOf(sent, verdict.result, this.#parts)
        : this.#findings().take(sent, verdict);
    if (beside !== undefined) {
      this.#parts.observer.hedged(beside.name, outcome === undefined ? "failed" : "won");
    }
    if (outcome !== undefined) this.#finish(outcome);
    else if (!this.#isBusy()) this.next();
    else if (this.#found?.atHand !== undefined) this.#planSecond();
  }

  /** Whether a healthy node may still get the block that nobody had so far; then it is waited for. */
  #waits(): boolean {
    const { need, deadlineMs } = this.#request;
    const found = this.#found;
    const isNull = found?.isNull === true;
    const lost = found?.lostBlock;
    // Of any block: a node whose new head is being joined to the chain is waited for before partners.
    if ((need.block < 0 && !this.#mayAskPartners) || (isNull && lost === undefined)) return false;
    const over = (isAgain: boolean): void => this.#goOn(isAgain);
    this.#wait ??= new BlockWait({ need, deadlineMs, over }, this.#parts);
    return this.#wait.begin(lost, isNull || this.#mayAskPartners);
  }

  #goOn(isAgain: boolean): void {
    this.#nowMs = this.#parts.clock.monotonic();
    // After a wait there may be a place.
    this.#asked = isAgain ? [] : this.#asked.filter((one) => this.#full?.includes(one) !== true);
    this.#full = undefined;
    if (isAgain) this.#found = undefined;
    this.next();
  }

  #conclude(): FetchOutcome {
    const outcome = this.#findings().conclude();
    const lost = this.#wait?.lost;
    return lost?.kind === "failure" && outcome.kind !== "result" ? lost : outcome;
  }

  /** Each call of a partner is counted against the caps before it is sent. */
  #askPartner(): void {
    const { partners, askCaps, observer } = this.#parts;
    const { need } = this.#request;
    if (!isAnyLeft(partners, { need, worst: TIER.behind, without: this.#asked })) {
      this.#mayAskPartners = false;
      this.next();
      return;
    }
    this.#verifying += 1;
    askCaps(this.#leftMs(), (allowed) => {
      this.#verifying -= 1;
      this.#nowMs = this.#parts.clock.monotonic();
      observer.partner(allowed ? "asked" : "capped");
      const choice = allowed ? this.#choose(partners, TIER.behind) : undefined;
      if (choice === undefined) {
        this.#mayAskPartners = false;
        this.#findings().note("partners", "the cap on their calls is reached");
        this.next();
      } else this.#send(choice);
    });
  }

  #finish(outcome: FetchOutcome): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#request.done(outcome);
    this.#endHedge();
    this.#wait?.stop();
    for (const sent of this.#sent)
      leave(sent, this.#sent, { parts: this.#parts, now: this.#nowMs });
  }

  #endHedge(): void {
    if (this.#hedge !== undefined) this.#parts.timers.clear(this.#hedge);
    this.#hedge = undefined;
  }
}
