import { checkCall } from "../access/allow-lists.ts";
import type { Identity } from "../access/authenticator.ts";
import type { CreditRefusal, Ledger, Reservation } from "../credits/ledger.ts";
import { ERRORS, type RpcError } from "../jsonrpc/errors.ts";
import { type Piece, sizeOf, toBinary } from "../lib/bytes.ts";
import type { Clock } from "../lib/clock.ts";
import { checkParams } from "../methods/check-params.ts";
import { contractsOf } from "../methods/contracts.ts";
import { ParamFault } from "../methods/params/param-fault.ts";
import { notAvailableYet, type Plan } from "../networks/network.ts";
import type { CallLog } from "../telemetry/log.ts";
import { redactKeys } from "../telemetry/redact.ts";
import { toClientError } from "../upstreams/client-error.ts";
import type { UsageRecorder } from "../usage/usage-recorder.ts";
import type { Call } from "./call.ts";
import { creditError, notAllowed } from "./refusals.ts";

export type PipelineParts = {
  readonly clock: Clock;
  readonly log: CallLog;
  readonly ledger: Pick<Ledger, "admit" | "settle">;
  readonly usage: Pick<UsageRecorder, "record" | "contract">;
  /** Whether the account's plan lets partners answer where no primary can. */
  readonly mayFailOver: (identity: Identity) => boolean;
  /** The result of tollgate_usage, JSON text. */
  readonly usageOf: (identity: Identity) => Promise<string>;
};

type Tools = PipelineParts & { readonly resume: (call: Call) => void };

/** A stage that has to wait says so, and goes on by calling `resume` once, later or at once. */
type Stage = (call: Call, tools: Tools) => "waiting" | undefined;

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
  readonly #tools: Tools;

  constructor(parts: PipelineParts) {
    this.#tools = { ...parts, resume: (call) => this.#advance(call) };
  }

  /**
   * Takes the call through the stages, then calls `done` once: before this returns where nothing
   * had to be waited for. Afterwards the call has a result or an error. Never throws.
   */
  run(call: Call, done: (call: Call) => void): void {
    call.begunMs = this.#tools.clock.monotonic();
    call.done = done;
    this.#advance(call);
  }

  /**
   * The same for the calls of one message, stage by stage: what a stage needs stays in the
   * processor's caches while it takes all of them (docs/performance.md has what that saves).
   */
  runAll(calls: readonly Call[], done: (call: Call) => void): void {
    const begunMs = this.#tools.clock.monotonic();
    for (const call of calls) {
      call.begunMs = begunMs;
      call.done = done;
    }
    // Those that wait go on by themselves.
    let going = calls;
    while (going.length > 0) going = going.filter((call) => this.#step(call));
  }

  #advance(call: Call): void {
    while (this.#step(call));
  }

  /** Takes the call through its next stage, or to its end; false where it waits, or has ended. */
  #step(call: Call): boolean {
    const isOpen = call.result === undefined && call.error === undefined;
    const stage = isOpen ? STAGES[call.nextStage] : undefined;
    if (stage === undefined) {
      this.#end(call);
      return false;
    }
    call.nextStage += 1;
    try {
      return stage(call, this.#tools) !== "waiting";
    } catch (error) {
      if (call.settled) throw error;
      const internal = error instanceof Error ? (error.stack ?? error.message) : String(error);
      call.result = undefined;
      call.error = { name: "internal", internal };
      return true;
    }
  }

  #end(call: Call): void {
    call.settled = true;
    settle(call, this.#tools);
    call.done(call);
  }
}

function lookUpMethod(call: Call): undefined {
  const { method, session } = call;
  const { family } = session.network;
  call.definition = family.lookUp(method);
  if (call.definition !== undefined) return;
  call.error =
    method === "eth_subscribe" || method === "eth_unsubscribe"
      ? { name: "method_not_found", message: "notifications not supported" }
      : {
          name: "method_not_found",
          message: `the method ${redactKeys(method)} does not exist/is not available${
            family.isWriting(method) ? ": this service is read-only" : ""
          }`,
        };
}

function check(call: Call): undefined {
  try {
    if (call.definition === undefined) return;
    const { strictParams, family } = call.session.network;
    const options = { strict: strictParams, wording: family.wording };
    call.args = checkParams(call.definition, call.params, options);
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

function admit(call: Call, { ledger, resume }: Tools): "waiting" | undefined {
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
  if (definition.credits === 0) return undefined;
  const outcome = ledger.admit(identity, definition.credits, (later) => {
    holdCredits(call, later);
    resume(call);
  });
  if (outcome === "waiting") return "waiting";
  holdCredits(call, outcome);
  return undefined;
}

function holdCredits(call: Call, outcome: Reservation | CreditRefusal): void {
  if ("kind" in outcome) call.error = creditError(outcome);
  else call.reservation = outcome;
}

function resolve(call: Call, { mayFailOver, resume }: Tools): "waiting" | undefined {
  const { definition, session, args, minBlock } = call;
  if (definition === undefined || definition.own !== undefined) return undefined;
  const { network } = session;
  const partner = mayFailOver(session.identity);
  const deadlineMs = deadlineOf(call);
  const planned = network.resolve({ definition, args, minBlock, partner, deadlineMs }, (later) => {
    takePlan(call, later);
    resume(call);
  });
  if (planned === "waiting") return "waiting";
  takePlan(call, planned);
  return undefined;
}

function takePlan(call: Call, planned: Plan | RpcError): void {
  if ("name" in planned) call.error = planned;
  else call.plan = planned;
}

/** One deadline for the whole call, whatever stage it waits in. */
function deadlineOf({ begunMs, session }: Call): number {
  return begunMs + session.network.timeoutMs;
}

function recall(call: Call, { usageOf, resume }: Tools): "waiting" | undefined {
  const { definition, session } = call;
  if (definition?.own === "usage") {
    usageOf(session.identity).then(
      (text) => {
        call.result = [toBinary(text)];
        resume(call);
      },
      (error: unknown) => {
        call.error = { name: "credits_unavailable", internal: String(error) };
        resume(call);
      },
    );
    return "waiting";
  }
  const known = call.plan?.known ?? definition?.local?.(call.args, session.network.facts);
  if (known !== undefined) call.result = [toBinary(known)];
  else if (call.plan !== undefined) accept(call, session.network.recall(call.plan));
  return undefined;
}

function fetch(call: Call, { resume }: Tools): "waiting" | undefined {
  const { plan, session } = call;
  if (plan === undefined) return undefined;
  session.network.fetch(plan, deadlineOf(call), (answer) => {
    call.answer = answer;
    resume(call);
  });
  return "waiting";
}

function normalise(call: Call): undefined {
  const { answer, definition } = call;
  if (answer === undefined || definition === undefined) return;
  switch (answer.kind) {
    case "result":
      call.result = answer.result;
      return;
    case "refused":
      call.error = answer.error;
      return;
    case "failure": {
      const error = toClientError(answer.failure, definition);
      if (error === null) call.result = ["null"];
      else call.error = error;
      return;
    }
    case "too_large":
      call.error = { name: "answer_too_large" };
      return;
    case "behind":
      call.error = notAvailableYet(call.minBlock);
      return;
    case "exhausted":
      call.error = { name: "unavailable", internal: answer.internal };
  }
}

function accept(call: Call, result: readonly Piece[] | RpcError | undefined): void {
  if (result === undefined) return;
  if ("name" in result) call.error = result;
  else call.result = result;
}

/** Stage 10: what it cost, and what is counted and logged of it. */
function settle(call: Call, tools: Tools): void {
  const { definition, error, session, reservation } = call;
  const { network } = session;
  const outcome = error === undefined ? "ok" : error.name;
  if (reservation !== undefined) {
    const served = isCharged(error);
    tools.ledger.settle(reservation, served);
    call.charged = served ? (definition?.credits ?? 0) : 0;
  }
  network.metrics.credits.inc(call.charged);
  const latencyMs = tools.clock.monotonic() - call.begunMs;
  const method = definition?.method ?? "other";
  network.metrics.calls(method).record(outcome, latencyMs / 1000);
  const used = call.isPartners ? "partner" : outcome;
  recordUsage(call, { method, outcome: used, latencyMs }, tools.usage);
  if (error?.internal !== undefined) {
    const fields = { requestId: session.requestId, network: network.name, method, outcome };
    tools.log.warn({ ...fields, cause: error.internal }, "a call failed");
  }
}

function recordUsage(
  { session, result, charged, definition, args }: Call,
  ended: { readonly method: string; readonly outcome: string; readonly latencyMs: number },
  usage: Tools["usage"],
): void {
  const { accountId, keyId } = session.identity;
  const network = session.network.name;
  const bytes = result === undefined ? 0 : sizeOf(result);
  const { method, outcome, latencyMs } = ended;
  usage.record({ accountId, keyId, network, method, outcome, credits: charged, bytes, latencyMs });
  if (method !== "eth_call" || definition === undefined || charged === 0) return;
  const [contract] = contractsOf(definition, args) ?? [];
  if (contract !== undefined) usage.contract(accountId, network, contract);
}

function isCharged(error: RpcError | undefined): boolean {
  return error === undefined || ERRORS[error.name].charged;
}
