import fc from "fast-check";
import { DEFAULT_WIRE } from "../../src/config/default-wire.ts";
import { Ledger } from "../../src/credits/ledger.ts";
import { systemScheduler } from "../../src/credits/scheduler.ts";
import { answerMessage } from "../../src/gateway/messages.ts";
import { Pipeline } from "../../src/gateway/pipeline.ts";
import { MAX_TOKENS } from "../../src/jsonrpc/count-tokens.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openMemory } from "../../src/storage/memory.ts";
import { CallLog, createLog } from "../../src/telemetry/log.ts";
import { UsageRecorder } from "../../src/usage/usage-recorder.ts";
import { EventLoop } from "../../src/wire/event-loop.ts";
import { someHolding } from "../support/holding.ts";
import { noFilters } from "../support/no-filters.ts";
import { stubNetwork } from "../support/stub-network.ts";
import { mutatedBodies } from "./mutations.ts";
import { complexityOf, type OwedAnswer, owedTo } from "./oracle.ts";

export type Answered = { readonly status: number; readonly text: string };

/** The pipeline of a network whose nodes answer at once, in this process. */
export function inProcess(): (body: Buffer) => Promise<Answered> {
  const network = stubNetwork("net", (_method, params) =>
    /0xdead/i.test(params) ? undefined : "null",
  );
  const log = new CallLog(createLog({ level: "silent", terminal: false }), systemClock);
  const store = openMemory();
  const onStoreFailure = (cause: unknown) => {
    throw new Error("a store in memory failed", { cause });
  };
  const ledger = new Ledger(
    { plans: { [IDENTITY.plan]: UNLIMITED }, process: "fuzz" },
    { store: store.ledger, scheduler: systemScheduler, onStoreFailure },
  );
  const keep = { minutes: 60_000, hours: 60_000, days: 60_000 };
  const usage = new UsageRecorder(
    { keep, process: "fuzz" },
    { store: store.usage, clock: systemClock, onStoreFailure, onLost: () => undefined },
  );
  const usageOf = async () => "{}";
  const pipeline = new Pipeline({
    clock: systemClock,
    log,
    ledger,
    usage,
    usageOf,
    filters: noFilters,
    mayFailOver: () => false,
  });
  const session = { network, identity: IDENTITY, requestId: "fuzz" };
  const loop = new EventLoop(DEFAULT_WIRE);
  return (body) =>
    new Promise((resolve) => {
      const parts = { holding: someHolding(), pipeline, turns: loop.clientReads, session };
      answerMessage(body, parts, ({ status, pieces }) => {
        const bytes = pieces.map((piece) =>
          typeof piece === "string" ? Buffer.from(piece, "latin1") : piece,
        );
        resolve({ status, text: Buffer.concat(bytes).toString("utf8") });
      });
    });
}

const UNLIMITED = { dailyCredits: 1e12, creditsPerSecond: 1e10, failover: false };
const NO_LIMITS = { creditsPerDay: null, creditsPerSecond: null };
const IDENTITY = {
  keyId: "key_1",
  accountId: "acc_1",
  email: "a@example.com",
  plan: "fuzz",
  operator: false,
  suspended: false,
  accountLimits: NO_LIMITS,
  keyLimits: NO_LIMITS,
  allow: undefined,
};

type Envelope = { jsonrpc: string; id: unknown; error?: { code: number }; result?: unknown };

/** Whether the gateway refused the message for the number of its JSON tokens. */
export function isTooComplex(answer: string): boolean {
  return answer.includes('"message too complex:');
}

/** @throws where the answer is not to the letter what the body is owed */
function hold(body: Buffer, { status, text }: Answered, owedStatus = true): void {
  if (isTooComplex(text)) {
    if (complexityOf(body) <= MAX_TOKENS)
      throw new Error(`${body.length} bytes are not too complex`);
    return;
  }
  // Its calls were counted before it was read: it may be no JSON.
  if (text.includes('"batch too large"') && complexityOf(body) > MAX_TOKENS) return;
  const owed = owedTo(body);
  const wrong = differences(owed, text) ?? (owedStatus && status !== owed.status ? "status" : "");
  if (wrong === "") return;
  const told = JSON.stringify({ wrong, body: body.toString("latin1"), status, text, owed });
  throw new Error(told.slice(0, 4000));
}

function differences(answer: OwedAnswer, text: string): string | undefined {
  if (answer.form === "nothing") return text === "" ? undefined : "an answer to what is owed none";
  const sources: string[] = [];
  const parsed = JSON.parse(text, (key: string, value: unknown, context?: { source?: string }) => {
    if (key === "id") sources.push(context?.source ?? "");
    return value;
  }) as Envelope | Envelope[];
  if (Array.isArray(parsed) !== (answer.form === "list")) return "the form";
  const all = Array.isArray(parsed) ? parsed : [parsed];
  if (all.length !== answer.owed.length) return "the number of answers";
  for (const [index, { id, codes }] of answer.owed.entries()) {
    const given = all[index];
    if (given?.jsonrpc !== "2.0") return "the version";
    if (sources[index] !== id) return `the id ${sources[index]}`;
    const code = given.error?.code ?? ("result" in given ? "result" : "neither");
    if (!(codes as readonly unknown[]).includes(code)) return `the code ${code}`;
  }
  return undefined;
}

/** Many bodies, each held against the oracle. */
export async function fuzz(
  answer: (body: Buffer) => Promise<Answered | undefined>,
  options: { readonly numRuns: number; readonly owedStatus?: boolean },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(mutatedBodies, async (body) => {
      const given = await answer(body);
      if (given !== undefined) hold(body, given, options.owedStatus);
    }),
    // Also bounds the shrinking of a failure.
    { numRuns: options.numRuns, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true },
  );
}
