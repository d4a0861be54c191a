import { ERRORS, type ErrorName } from "../jsonrpc/errors.ts";
import { type ParsedCall, parseMessage } from "../jsonrpc/parse-message.ts";
import type { Piece } from "../lib/bytes.ts";
import type { Holding } from "../lib/memory-budget.ts";
import type { ReadTurns } from "../wire/read-turns.ts";
import { holdLarge } from "../wire/server/held-pieces.ts";
import {
  callAnswer,
  errorText,
  FIRST_OF_BATCH,
  type MessageAnswer,
  NEXT_OF_BATCH,
  refusal,
} from "./answer.ts";
import { Call, type Session } from "./call.ts";
import type { Pipeline } from "./pipeline.ts";

const NOTHING: MessageAnswer = Object.freeze({
  status: 204,
  pieces: [],
  charged: 0,
  exhausted: false,
});

/**
 * After so many calls of a batch others may have their turn: these take a millisecond, and ten in a
 * process that has just begun.
 */
const CALLS_AT_ONCE = 100;

/** In place of results that nobody will be given. */
const NOTHING_LEFT: readonly Piece[] = Object.freeze([""]);

/**
 * One message (HTTP body or WebSocket text) from its bytes to its answer's bytes: `respond` is
 * called once, before this returns where no call has to wait. Returns how many calls are still in
 * the air. Never throws.
 */
export function answerMessage(
  body: Buffer,
  parts: MessageParts,
  respond: (answer: MessageAnswer) => void,
): number {
  const { session, pipeline } = parts;
  const tooMuch = parts.isTaken === true ? undefined : pipeline.takeMessage(session, body.length);
  if (tooMuch !== undefined) {
    respond(refusal(tooMuch));
    return 0;
  }
  const message = parseMessage(body, pipeline.repeatedTexts);
  if (message.kind === "batch") return answerBatch(message.calls, parts, respond);
  if (message.kind === "fault") {
    const oneTooMany = pipeline.countRefusal(session, message.fault);
    if (oneTooMany !== undefined) {
      respond(refusal(oneTooMany));
      return 0;
    }
    const text = errorText(message.fault);
    const pieces = [message.inArray ? `[${text}]` : text];
    respond({ status: 200, pieces, charged: 0, exhausted: false });
    return 0;
  }
  if (message.call.notification) {
    respond(NOTHING);
    return 0;
  }
  let inAir = 1;
  pipeline.run(new Call(message.call, session), (call) => {
    inAir = 0;
    respond(answerSingle(call));
  });
  return inAir;
}

export type MessageParts = {
  readonly session: Session;
  readonly pipeline: Pipeline;
  readonly turns: Pick<ReadTurns, "defers">;
  /** Its size was told before it came, and has been drawn on the credits per second. */
  readonly isTaken?: boolean;
  /** The memory that the gateway holds for the client. */
  readonly holding: Holding;
};

function answerSingle(call: Call): MessageAnswer {
  const { error, charged } = call;
  const block = call.plan?.tagged;
  if (error === undefined) {
    const partner = call.isPartners;
    const answer = callAnswer(call);
    const pieces = typeof answer === "string" ? [answer] : answer;
    const opened = call.opened && [call.opened];
    return { status: 200, pieces, charged, block, partner, exhausted: false, opened };
  }
  const answer = refusal(error, call.id);
  return charged === 0 ? answer : { ...answer, charged, block };
}

/** Every element but notifications is answered, in order, each call for itself. */
function answerBatch(
  elements: readonly ParsedCall[],
  { session, pipeline, turns, holding }: MessageParts,
  respond: (answer: MessageAnswer) => void,
): number {
  const calls: Call[] = [];
  for (const element of elements) {
    if (!element.notification) calls.push(new Call(element, session, true));
  }
  if (calls.length === 0) {
    respond(NOTHING);
    return 0;
  }
  let inAir = calls.length;
  const done = ({ result }: Call) => {
    inAir -= 1;
    if (inAir === 0) respond(joinBatch(calls));
    else if (result !== undefined) holdLarge(holding, result);
    if (holding.isLost) for (const call of calls) call.result &&= NOTHING_LEFT;
  };
  const runFrom = (first: number): void => {
    for (let at = first; at < calls.length; at += CALLS_AT_ONCE) {
      if (at > first && turns.defers(() => runFrom(at))) return;
      pipeline.runAll(calls.slice(at, at + CALLS_AT_ONCE), done);
    }
  };
  runFrom(0);
  return inAir;
}

function joinBatch(calls: readonly Call[]): MessageAnswer {
  const refused = refusedAsAWhole(calls);
  if (refused !== undefined) return refused;
  const pieces: Piece[] = [];
  let charged = 0;
  let exhausted = false;
  let partner = false;
  // The lowest that a tag was resolved to.
  let block: number | undefined;
  for (const call of calls) {
    const answer = callAnswer(call, pieces.length === 0 ? FIRST_OF_BATCH : NEXT_OF_BATCH);
    if (typeof answer === "string") pieces.push(answer);
    else pieces.push(...answer);
    charged += call.charged;
    if (call.error?.name === "payment_required") exhausted = true;
    if (call.isPartners) partner = true;
    const tagged = call.plan?.tagged;
    if (tagged !== undefined && (block === undefined || tagged < block)) block = tagged;
  }
  pieces.push("]");
  const opened = calls.flatMap((call) => call.opened ?? []);
  return { status: 200, pieces, charged, block, partner, exhausted, opened };
}

/** Where each element was refused with one and the same status, the batch is, with that status. */
function refusedAsAWhole(calls: readonly Call[]): MessageAnswer | undefined {
  const error = calls[0]?.error;
  if (error === undefined) return undefined;
  const status = statusOf(error.name);
  if (status === 200) return undefined;
  const alike = calls.every((call) => call.error && statusOf(call.error.name) === status);
  return alike ? refusal(error) : undefined;
}

function statusOf(name: ErrorName): number {
  return ERRORS[name].status;
}
