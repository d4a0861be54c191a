import { ERRORS, type ErrorName } from "../jsonrpc/errors.ts";
import { type ParsedCall, parseMessage } from "../jsonrpc/parse-message.ts";
import type { Piece } from "../lib/bytes.ts";
import { callPieces, errorText, type MessageAnswer, refusal } from "./answer.ts";
import { Call, type Session } from "./call.ts";
import type { Pipeline } from "./pipeline.ts";

const NOTHING: MessageAnswer = Object.freeze({ status: 204, pieces: [] });

/** An answer that waits for this many calls. */
export type Answering = { readonly inAir: number; readonly answer: Promise<MessageAnswer> };

/**
 * One message (HTTP body or WebSocket text) from its bytes to its answer's bytes. The answer
 * is there at once where no call has to wait. Never throws or rejects.
 */
export function answerMessage(
  body: Buffer,
  session: Session,
  pipeline: Pipeline,
): MessageAnswer | Answering {
  const message = parseMessage(body);
  if (message.kind === "fault") {
    const text = errorText(message.fault);
    return { status: 200, pieces: [message.inArray ? `[${text}]` : text] };
  }
  if (message.kind === "batch") return answerBatch(message.calls, session, pipeline);
  if (message.call.notification) return NOTHING;
  const call = new Call(message.call, session);
  const waiting = pipeline.run(call);
  if (waiting === undefined) return answerSingle(call);
  return { inAir: 1, answer: waiting.then(() => answerSingle(call)) };
}

function answerSingle(call: Call): MessageAnswer {
  const { error } = call;
  return error === undefined ? { status: 200, pieces: callPieces(call) } : refusal(error, call.id);
}

/** Every element but notifications is answered, in order, each call for itself. */
function answerBatch(
  elements: readonly ParsedCall[],
  session: Session,
  pipeline: Pipeline,
): MessageAnswer | Answering {
  const calls: Call[] = [];
  const waiting: Promise<void>[] = [];
  for (const element of elements) {
    if (element.notification) continue;
    const call = new Call(element, session);
    calls.push(call);
    const run = pipeline.run(call);
    if (run !== undefined) waiting.push(run);
  }
  if (calls.length === 0) return NOTHING;
  if (waiting.length === 0) return joinBatch(calls);
  return { inAir: waiting.length, answer: Promise.all(waiting).then(() => joinBatch(calls)) };
}

function joinBatch(calls: readonly Call[]): MessageAnswer {
  const refused = refusedAsAWhole(calls);
  if (refused !== undefined) return refused;
  const pieces: Piece[] = [];
  for (const [index, call] of calls.entries()) {
    pieces.push(index === 0 ? "[" : ",", ...callPieces(call));
  }
  pieces.push("]");
  return { status: 200, pieces };
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
