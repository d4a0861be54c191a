import type { Identity } from "../access/authenticator.ts";
import type { CreditRefusal, CreditWaiter, Reservation } from "../credits/ledger.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import type { ParsedCall } from "../jsonrpc/parse-message.ts";
import type { JsonValue } from "../jsonrpc/value.ts";
import type { Piece } from "../lib/bytes.ts";
import type { Definition, Instead } from "../methods/definition.ts";
import type { Answer } from "../networks/answers.ts";
import type { AnswerWaiter, Network, Plan, PlanWaiter } from "../networks/network.ts";
import type { ClientSubscriptions } from "../subscriptions/client-subscriptions.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import type { CallTrace, TracedAttempt } from "../telemetry/traces/call-trace.ts";
import { creditError } from "./refusals.ts";

const NO_ARGS: readonly JsonValue[] = Object.freeze([]);

/** The facts that a message's calls have in common: stage 2 has named the network and the account. */
export type Session = {
  readonly network: Network;
  /** On an open WebSocket it is replaced when the account changes. */
  identity: Identity;
  readonly requestId: string;
  /** The client's X-Min-Block, as it was sent. */
  readonly minBlock?: string | undefined;
  /** The client's own trace, as it was sent. */
  readonly traceparent?: string | undefined;
  /** Answers to other messages come over the same stream, as over a WebSocket. */
  readonly isStream?: boolean;
  /** Those of the WebSocket, where its network tells anything by itself. */
  subscriptions?: ClientSubscriptions | undefined;
};

/** One call on its way through the stages; each fills in its part, and is what others tell of it. */
export class Call implements CreditWaiter, PlanWaiter, AnswerWaiter {
  readonly session: Session;
  readonly id: string;
  readonly method: string;
  readonly params: JsonValue | undefined;
  /** Their text, where it is to the letter what `encode` makes of them. */
  readonly paramsText: string | undefined;
  definition: Definition | undefined;
  args: readonly JsonValue[] = NO_ARGS;
  /** The contract that an eth_call names. */
  contract: string | undefined;
  /** The block that the client has seen already; -1: it did not say. */
  minBlock = -1;
  /** The meaning of its blocks now, and the need that follows for a node. */
  plan: Plan | undefined;
  /** The outcome of asking nodes. */
  answer: Answer | undefined;
  /** The answer is one of these two; the first stage that sets one ends the call. */
  result: readonly Piece[] | undefined;
  error: RpcError | undefined;
  /** The subscription that begins once its client has the answer. */
  opened: Subscription | undefined;
  /** The credits that are held for the call while it runs. */
  reservation: Reservation | undefined;
  /** Its cost, credits. */
  charged = 0;
  /** Where the call stands in the pipeline, and who waits for its end. */
  nextStage = 0;
  /** Monotonic milliseconds. */
  begunMs = 0;
  settled = false;
  /** Absent where it was not chosen to be traced before it began. */
  trace: CallTrace | undefined;
  /** Where calls are traced: when a node was asked, monotonic; -1: none was. */
  fetchedMs = -1;
  /** The last attempt at a node on its behalf, which knows those before it. */
  lastAttempt: TracedAttempt | undefined;
  /** Whether other answers stand beside its own: a broken result would break them too. */
  readonly isJoined: boolean;
  goOn: (call: Call) => void = nothing;
  done: (call: Call) => void = nothing;

  constructor(parsed: ParsedCall, session: Session, isJoined = session.isStream === true) {
    this.session = session;
    this.isJoined = isJoined;
    this.id = parsed.id;
    this.method = parsed.method;
    this.params = parsed.params;
    this.paramsText = parsed.paramsText;
    this.error = parsed.fault;
  }

  /** One for the whole call, whatever stage it waits in. */
  get deadlineMs(): number {
    return this.begunMs + this.session.network.timeoutMs;
  }

  get account(): string {
    return this.session.identity.accountId;
  }

  get keyId(): string {
    return this.session.identity.keyId;
  }

  /** The ledger's word; `admitted` where the call waited for it, and so on. */
  hold(outcome: Reservation | CreditRefusal): void {
    if ("kind" in outcome) this.error = creditError(outcome);
    else this.reservation = outcome;
  }

  admitted(outcome: Reservation | CreditRefusal): void {
    this.hold(outcome);
    this.goOn(this);
  }

  /** It goes on as a call of another method, from the stage where that was found. */
  becomes(definition: Definition, args: readonly JsonValue[]): void {
    this.definition = definition;
    this.args = args;
    this.nextStage -= 1;
  }

  /** Nodes do not have the method: what another one answers is asked for, for the same price. */
  asksInstead({ definition, args }: Instead): void {
    this.definition = definition;
    this.args = args(this.args);
    this.plan = undefined;
    this.answer = undefined;
  }

  take(planned: Plan | RpcError): void {
    if ("name" in planned) this.error = planned;
    else this.plan = planned;
  }

  planned(planned: Plan | RpcError): void {
    this.take(planned);
    this.goOn(this);
  }

  /** A node is asked. */
  attempted(attempt: TracedAttempt): void {
    attempt.context = this.trace?.contextOfAttempt();
    attempt.earlier = this.lastAttempt;
    this.lastAttempt = attempt;
  }

  answered(answer: Answer): void {
    this.answer = answer;
    this.goOn(this);
  }

  /** Whether a partner gave the answer. */
  get isPartners(): boolean {
    return this.answer?.kind === "result" && this.answer.upstream.role === "partner";
  }
}

/** Which node answered, with a result or an error; undefined where none had to. */
export function upstreamOf(answer: Answer | undefined): string | undefined {
  if (answer === undefined || !("upstream" in answer)) return undefined;
  return typeof answer.upstream === "string" ? answer.upstream : answer.upstream.name;
}

function nothing(): void {}
