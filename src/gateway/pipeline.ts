import { ERRORS, type RpcError } from "../jsonrpc/errors.ts";
import { encode } from "../jsonrpc/value.ts";
import { toBinary } from "../lib/bytes.ts";
import type { Clock } from "../lib/clock.ts";
import { checkParams } from "../methods/check-params.ts";
import { ParamFault } from "../methods/params/param-fault.ts";
import { isWriting, lookUp } from "../methods/registry.ts";
import { shapeResult } from "../methods/shapes/shape.ts";
import type { CallLog } from "../telemetry/log.ts";
import { toClientError } from "../upstreams/client-error.ts";
import type { Call } from "./call.ts";

type Parts = { readonly clock: Clock; readonly log: CallLog };

/** A stage that has to wait says so, and goes on by calling `resume` once, later or at once. */
type Stage = (call: Call, resume: (call: Call) => void) => "waiting" | undefined;

/**
 * The life of a call, after its message was parsed (stage 1) and its network and account were
 * identified (stage 2), and before its answer is written (stage 11). docs/life-of-a-call.md
 * follows this list. A stage that gives the call its result or error ends it; settling comes to
 * every call.
 */
const STAGES: readonly Stage[] = [
  lookUpMethod, //  3  the definition of the method
  check, //         4  positional params against the definition
  admit, //         5  the credits that the call may cost
  resolve, //       6  what the block parameter means now
  recall, //        7  what the gateway knows by itself
  fetch, //         8  an upstream's answer, within one deadline
  normalise, //     9  the documented shape, the documented error
];

export class Pipeline {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Takes the call through the stages, then calls `done` once: before this returns where nothing
   * had to be waited for. Afterwards the call has a result or an error. Never throws.
   */
  run(call: Call, done: (call: Call) => void): void {
    call.begunMs = this.#parts.clock.monotonic();
    call.done = done;
    this.#advance(call);
  }

  readonly #advance = (call: Call): void => {
    try {
      while (call.nextStage < STAGES.length) {
        if (call.result !== undefined || call.error !== undefined) break;
        const stage = STAGES[call.nextStage];
        call.nextStage += 1;
        if (stage?.(call, this.#advance) === "waiting") return;
      }
    } catch (error) {
      if (call.settled) throw error;
      const internal = error instanceof Error ? (error.stack ?? error.message) : String(error);
      call.result = undefined;
      call.error = { name: "internal", internal };
    }
    call.settled = true;
    settle(call, this.#parts);
    call.done(call);
  };
}

function lookUpMethod(call: Call): undefined {
  const { method } = call;
  call.definition = lookUp(method);
  if (call.definition !== undefined) return;
  call.error =
    method === "eth_subscribe" || method === "eth_unsubscribe"
      ? { name: "method_not_found", message: "notifications not supported" }
      : {
          name: "method_not_found",
          message: `the method ${method} does not exist/is not available${
            isWriting(method) ? ": this service is read-only" : ""
          }`,
        };
}

function check(call: Call): undefined {
  try {
    if (call.definition === undefined) return;
    const { strictParams } = call.session.network;
    call.args = checkParams(call.definition, call.params, strictParams);
  } catch (error) {
    if (!(error instanceof ParamFault)) throw error;
    call.error = { name: "invalid_params", message: error.message };
  }
}

function admit(call: Call): undefined {
  call.reserved = call.definition?.credits ?? 0;
}

function resolve(call: Call): undefined {
  if (call.definition === undefined) return;
  call.shape = call.session.network.resolve(call.definition, call.args);
}

function recall(call: Call): undefined {
  const known = call.definition?.local?.(call.args, call.session.network.facts);
  if (known !== undefined) call.result = [toBinary(known)];
}

function fetch(call: Call, resume: (call: Call) => void): "waiting" {
  const { upstreams, timeoutMs } = call.session.network;
  upstreams.fetch({ method: call.method, params: encode(call.args), timeoutMs }, (outcome) => {
    call.outcome = outcome;
    resume(call);
  });
  return "waiting";
}

function normalise(call: Call): undefined {
  const { outcome, definition, shape } = call;
  if (outcome === undefined || definition === undefined || shape === undefined) return;
  switch (outcome.kind) {
    case "result":
      call.result = shapeResult(definition.shape, outcome.result, shape);
      return;
    case "failure": {
      const error = toClientError(outcome.failure, definition);
      if (error === null) call.result = ["null"];
      else call.error = error;
      return;
    }
    case "too_large":
      call.error = { name: "answer_too_large" };
      return;
    case "exhausted":
      call.error = { name: "unavailable", internal: outcome.internal };
  }
}

/** Stage 10: what it cost, and what is counted and logged of it. */
function settle(call: Call, { clock, log }: Parts): void {
  const { definition, error, session } = call;
  const { metrics } = session.network;
  const outcome = error === undefined ? "ok" : error.name;
  call.charged = isCharged(error) ? call.reserved : 0;
  metrics.credits.inc(call.charged);
  const seconds = (clock.monotonic() - call.begunMs) / 1000;
  metrics.calls(definition?.method ?? "other").record(outcome, seconds);
  if (error?.internal !== undefined) {
    const { requestId, network } = session;
    const fields = { requestId, network: network.name, method: definition?.method, outcome };
    log.warn({ ...fields, cause: error.internal }, "a call failed");
  }
}

function isCharged(error: RpcError | undefined): boolean {
  return error === undefined || ERRORS[error.name].charged;
}
