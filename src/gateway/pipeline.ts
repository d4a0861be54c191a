import { checkCall } from "../access/allow-lists.ts";
import type { Identity } from "../access/authenticator.ts";
import type { Ledger } from "../credits/ledger.ts";
import { ERRORS, type RpcError } from "../jsonrpc/errors.ts";
import { RepeatedTexts } from "../jsonrpc/repeated-texts.ts";
import { type Piece, sizeOf, toBinary } from "../lib/bytes.ts";
import type { Clock } from "../lib/clock.ts";
import { checkParams } from "../methods/check-params.ts";
import { contractsOf } from "../methods/contracts.ts";
import type { Definition } from "../methods/definition.ts";
import { ParamFault } from "../methods/params/param-fault.ts";
import type { CallLog } from "../telemetry/log.ts";
import { redactKeys } from "../telemetry/redact.ts";
import type { UsageRecorder } from "../usage/usage-recorder.ts";
import type { Call, Session } from "./call.ts";
import { drawForFreeCall, drawForMessage, drawForRefusal } from "./free-load.ts";
import { insteadOf, normaliseAnswer } from "./normalise.ts";
import { answerOwn, askFilterLogs, type OwnParts } from "./own-answers.ts";
import { notAllowed } from "./refusals.ts";
import type { RequestLog } from "./request-log.ts";
import type { Traces } from "./traces.ts";

export type PipelineParts = OwnParts & {
  readonly clock: Clock;
  readonly log: CallLog;
  readonly ledger: Pick<Ledger, "admit" | "draw" | "settle">;
  readonly usage: Pick<UsageRecorder, "record" | "contract">;
  /** Absent where none is configured. */
  readonly requests?: Pick<RequestLog, "note"> | undefined;
  readonly traces?: Pick<Traces, "begin" | "ended"> | undefined;
  /** Whether the account's plan lets partners answer where no primary can. */
  readonly mayFailOver: (identity: Identity) => boolean;
};

/** A stage that has to wait says so; the call goes on once, later or at once. */
type Stage = (call: Call, parts: PipelineParts) => "waiting" | undefined;

/**
 * The life of a call, after its message was parsed (stage 1) and its network and account were
 * identified (stage 2), and before its answer is written (stage 11). docs/life-of-a-call.md
 * follows this list. A stage that gives the call its result or error ends it; settling comes to
 * every call.
 */
const STAGES: readonly Stage[] = [
  lookUpMethod, //  3  the definition of the method
  check, //         4  positional params against the definition
  admit, //         5  the key's allow-lists, the account's credits
  resolve, //       6  what the block parameter means now
  recall, //        7  what the gateway knows, or has kept
  fetch, //         8  an upstream's answer, within one deadline
  normalise, //     9  the documented shape, the documented error
];

export class Pipeline {
  /** For stage 1: keys and names that come with nearly every message. */
  readonly repeatedTexts = new RepeatedTexts();
  readonly #parts: PipelineParts;
  readonly #advance = (call: Call): void => {
    while (this.#step(call));
  };

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /**
   * Takes the call through the stages, then calls `done` once: before this returns where nothing
   * had to be waited for. Afterwards the call has a result or an error. Never throws.
   */
  run(call: Call, done: (call: Call) => void): void {
    this.#begin(call, this.#parts.clock.monotonic(), done);
    this.#advance(call);
  }

  /**
   * The same for the calls of one message, stage by stage: what a stage needs stays in the
   * processor's caches while it takes all of them (docs/performance-log.md has what that saves). The array
   * is the pipeline's from then on.
   */
  runAll(calls: Call[], done: (call: Call) => void): void {
    const begunMs = this.#parts.clock.monotonic();
    for (const call of calls) this.#begin(call, begunMs, done);
    calls[0]?.session.network.together(() => this.#advanceAll(calls));
  }

  /** Those that wait go on by themselves. */
  #advanceAll(going: Call[]): void {
    while (going.length > 0) {
      let left = 0;
      for (const call of going) if (this.#step(call)) going[left++] = call;
      going.length = left;
    }
  }

  #begin(call: Call, begunMs: number, done: (call: Call) => void): void {
    call.begunMs = begunMs;
    call.trace = this.#parts.traces?.begin(call.session.traceparent);
    call.done = done;
    call.goOn = this.#advance;
  }

  /** Takes the call through its next stage, or to its end; false where it waits, or has ended. */
  #step(call: Call): boolean {
    const isOpen = call.result === undefined && call.error === undefined;
    const stage = isOpen ? STAGES[call.nextStage] : undefined;
    if (stage === undefined) {
      this.#end(call);
      return false;
    }
    call.trace?.enter(call.nextStage, this.#parts.clock.monotonic());
    call.nextStage += 1;
    try {
      return stage(call, this.#parts) !== "waiting";
    } catch (error) {
      if (call.settled) throw error;
      const internal = error instanceof Error ? (error.stack ?? error.message) : String(error);
      call.result = undefined;
      call.error = { name: "internal", internal };
      return true;
    }
  }

  /** Before a message is parsed: why it is not to be. */
  takeMessage({ identity }: Session, sizeBytes: number): RpcError | undefined {
    return drawForMessage(this.#parts.ledger, identity, sizeBytes);
  }

  /** The error in place of this refusal, where there were too many; undefined: the refusal stands. */
  countRefusal({ identity }: Session, error: RpcError): RpcError | undefined {
    return drawForRefusal(this.#parts.ledger, identity, error);
  }

  #end(call: Call): void {
    const { error, session, reservation } = call;
    if (error !== undefined && reservation === undefined) {
      call.error = this.countRefusal(session, error) ?? error;
    }
    call.settled = true;
    settle(call, this.#parts);
    call.done(call);
    count(call, this.#parts);
  }
}

function lookUpMethod(call: Call): undefined {
  const { method, session } = call;
  const { family } = session.network;
  const definition = family.lookUp(method);
  if (definition === undefined) {
    const why = family.whyNot(method);
    const message = `the method ${redactKeys(method)} does not exist/is not available${why}`;
    call.error = { name: "method_not_found", message };
  } else if (isOfStream(definition) && session.subscriptions === undefined) {
    call.error = { name: "method_not_found", message: "notifications not supported" };
  } else if (definition.kindOf === undefined) call.definition = definition;
  else chooseKind(call, definition.kindOf(call.params));
}

const isOfStream = ({ own }: Definition): boolean => own === "subscribe" || own === "unsubscribe";

function chooseKind(call: Call, kind: Definition | RpcError): void {
  if ("method" in kind) call.definition = kind;
  else call.error = { ...kind, message: redactKeys(kind.message ?? "") };
}

function check(call: Call): undefined {
  try {
    if (call.definition === undefined) return;
    call.args = checkParams(call.definition, call.params, call.session.network.params);
    // For the usage. Once the call has waited for a node, to find it again takes ten times as long.
    if (call.method === "eth_call") call.contract = contractsOf(call.definition, call.args)?.[0];
    if (call.session.minBlock !== undefined) call.minBlock = readMinBlock(call.session.minBlock);
  } catch (error) {
    if (!(error instanceof ParamFault)) throw error;
    call.error = { name: "invalid_params", message: redactKeys(error.message) };
  }
}

/** @throws ParamFault where it is no block number in decimal digits */
function readMinBlock(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ParamFault("invalid X-Min-Block header; want a block number in decimal digits");
}

function admit(call: Call, { ledger }: PipelineParts): "waiting" | undefined {
  const { definition, session } = call;
  if (definition === undefined) return undefined;
  const { identity } = session;
  if (identity.allow !== undefined) {
    const kind = checkCall(identity.allow, definition.method, contractsOf(definition, call.args));
    if (kind !== undefined) {
      call.error = notAllowed(kind);
      return undefined;
    }
  }
  if (definition.credits === 0) {
    call.error = drawForFreeCall(ledger, identity);
    return undefined;
  }
  const outcome = ledger.admit(identity, definition.credits, call);
  if (outcome === "waiting") return "waiting";
  call.hold(outcome);
  return undefined;
}

function resolve(call: Call, parts: PipelineParts): "waiting" | undefined {
  const { definition, session, args, minBlock, deadlineMs } = call;
  if (definition === undefined) return undefined;
  if (definition.own === "filter logs") return askFilterLogs(call, parts);
  if (definition.own !== undefined) return undefined;
  const { network } = session;
  const partner = parts.mayFailOver(session.identity);
  // Params that were canonical as they came are sent as the client wrote them.
  const text = args === call.params ? call.paramsText : undefined;
  const planned = network.resolve({ definition, args, text, minBlock, partner, deadlineMs }, call);
  if (planned === "waiting") return "waiting";
  call.take(planned);
  return undefined;
}

function recall(call: Call, parts: PipelineParts): "waiting" | undefined {
  const { definition, plan, session } = call;
  if (definition?.own !== undefined && definition.own !== "filter logs") {
    return answerOwn(definition.own, call, parts);
  }
  if (plan === undefined) return undefined;
  const known = definition?.local?.(call.args, session.network.factsFor(plan.partner));
  if (known !== undefined) call.result = [toBinary(known)];
  else accept(call, session.network.recall(plan));
  return undefined;
}

function fetch(call: Call, { traces, clock }: PipelineParts): "waiting" | undefined {
  const { plan, session } = call;
  if (plan === undefined) return undefined;
  if (traces !== undefined) call.fetchedMs = clock.monotonic();
  session.network.fetch(plan, call);
  return "waiting";
}

function normalise(call: Call): undefined {
  const instead = insteadOf(call);
  if (instead === undefined) return normaliseAnswer(call);
  call.asksInstead(instead);
  call.nextStage = STAGES.indexOf(resolve);
  return undefined;
}

function accept(call: Call, result: readonly Piece[] | RpcError | undefined): void {
  if (result === undefined) return;
  if ("name" in result) call.error = result;
  else call.result = result;
}

/** Stage 10: what it cost, of which the answer tells. */
function settle(call: Call, { ledger }: PipelineParts): void {
  const { definition, error, reservation } = call;
  if (reservation === undefined) return;
  const served = isCharged(error);
  ledger.settle(reservation, served);
  call.charged = served ? (definition?.credits ?? 0) : 0;
}

/** Counts and logs the call: nobody's answer has to wait for that. */
function count(call: Call, { clock, log, usage, requests, traces }: PipelineParts): void {
  const { definition, error, session } = call;
  const { network } = session;
  const outcome = error === undefined ? "ok" : error.name;
  network.metrics.credits.inc(call.charged);
  const latencyMs = clock.monotonic() - call.begunMs;
  // What a filter's logs were asked for with is another method.
  const method = definition === undefined ? "other" : call.method;
  network.metrics.calls(method).record(outcome, latencyMs / 1000);
  const { accountId, keyId } = session.identity;
  usage.record({
    accountId,
    keyId,
    network: network.name,
    method,
    outcome: call.isPartners ? "partner" : outcome,
    credits: call.charged,
    bytes: call.result === undefined ? 0 : sizeOf(call.result),
    latencyMs,
  });
  if (call.contract !== undefined && call.charged > 0) {
    usage.contract(accountId, network.name, call.contract);
  }
  requests?.note(call, latencyMs);
  traces?.ended(call, latencyMs);
  if (error?.internal !== undefined) {
    const fields = { requestId: session.requestId, network: network.name, method, outcome };
    log.warn({ ...fields, cause: error.internal }, "a call failed");
  }
}

function isCharged(error: RpcError | undefined): boolean {
  return error === undefined || ERRORS[error.name].charged;
}
