import fc from "fast-check";
import { expect, test } from "vitest";
import { someHolding } from "../../test/support/holding.ts";
import { noFilters } from "../../test/support/no-filters.ts";
import { stubNetwork } from "../../test/support/stub-network.ts";
import type { Identity } from "../access/authenticator.ts";
import { DEFAULT_WIRE } from "../config/default-wire.ts";
import type { CreditRefusal, Reservation } from "../credits/ledger.ts";
import { systemClock } from "../lib/clock.ts";
import { CallLog, createLog } from "../telemetry/log.ts";
import { EventLoop } from "../wire/event-loop.ts";
import type { MessageAnswer } from "./answer.ts";
import { answerMessage } from "./messages.ts";
import { Pipeline, type PipelineParts } from "./pipeline.ts";

const loop = new EventLoop(DEFAULT_WIRE);

/** What one call of a batch meets on its way. */
type Way = {
  readonly admission: "held" | "held later" | "refused" | "refused later";
  readonly fetch: "at once" | "later";
};

const way: fc.Arbitrary<Way> = fc.record({
  admission: fc.constantFrom("held", "held later", "refused", "refused later"),
  fetch: fc.constantFrom("at once", "later"),
});
const REFUSAL: CreditRefusal = { kind: "key-throughput", retryAfterSeconds: 1 };
const IDENTITY = {
  accountId: "account",
  keyId: "key",
  plan: "free",
} as Identity;
const nothing = () => undefined;

function pipelineWith(ledger: PipelineParts["ledger"]): Pipeline {
  return new Pipeline({
    clock: systemClock,
    log: new CallLog(createLog({ level: "silent", terminal: false }), systemClock),
    ledger,
    usage: { record: nothing, contract: nothing },
    mayFailOver: () => false,
    usageOf: async () => "{}",
    filters: noFilters,
  });
}

/** A batch of one call for each way, whose late parts come in this order. */
function run(ways: readonly Way[], orderOf: (parts: number) => readonly number[]) {
  const late: (() => void)[] = [];
  const settled: Reservation[] = [];
  const held: Reservation[] = [];
  const asked: string[] = [];
  const network = stubNetwork("net", (_, params) => JSON.stringify(JSON.parse(params)[0].data));
  const fetchNow = network.fetch.bind(network);
  network.fetch = (plan, waiter) => {
    const data = String((plan.args[0] as Map<string, string>).get("data"));
    asked.push(data);
    if (ways[Number(data)]?.fetch === "at once") fetchNow(plan, waiter);
    else late.push(() => fetchNow(plan, waiter));
  };
  let admitted = 0;
  const pipeline = pipelineWith({
    draw: () => undefined,
    admit: (_, credits, waiter) => {
      const { admission } = ways[admitted] as Way;
      admitted += 1;
      const isHeld = admission.startsWith("held");
      const reservation = { credits } as Reservation;
      if (isHeld) held.push(reservation);
      const outcome = isHeld ? reservation : REFUSAL;
      if (!admission.endsWith("later")) return outcome;
      late.push(() => waiter.admitted(outcome));
      return "waiting";
    },
    settle: (reservation) => settled.push(reservation),
  });
  const calls = ways.map((_, at) => ({
    ...{ jsonrpc: "2.0", id: at, method: "eth_call" },
    params: [{ data: `0x${at.toString(16).padStart(4, "0")}` }, "0x1"],
  }));
  const answers: MessageAnswer[] = [];
  const session = { network, identity: IDENTITY, requestId: "r" };
  answerMessage(
    Buffer.from(JSON.stringify(calls)),
    { session, pipeline, turns: loop.clientReads, holding: someHolding() },
    (answer) => answers.push(answer),
  );
  while (late.length > 0) {
    const parts = late.splice(0);
    for (const at of orderOf(parts.length)) parts[at]?.();
  }
  return { answers, settled, held, asked };
}

test("each call of a batch is asked, settled and answered once, whatever it waits for", () => {
  const ways = fc.array(way, { minLength: 1, maxLength: 12 });
  const seeds = fc.infiniteStream(fc.nat());
  fc.assert(
    fc.property(ways, seeds, (chosen, order) => {
      const shuffled = (parts: number) =>
        Array.from({ length: parts }, (_, at) => ({ at, by: order.next().value as number }))
          .sort((a, b) => a.by - b.by)
          .map(({ at }) => at);
      const { answers, settled, held, asked } = run(chosen, shuffled);
      const data = chosen.map((_, at) => `0x${at.toString(16).padStart(4, "0")}`);
      const isHeld = (_: unknown, at: number) => chosen[at]?.admission.startsWith("held");
      expect(answers).toHaveLength(1);
      expect(asked.toSorted()).toEqual(data.filter(isHeld));
      expect(new Set(settled)).toEqual(new Set(held));
      expect(settled).toHaveLength(held.length);
      if (held.length === 0) return;
      const told = JSON.parse(answers[0]?.pieces.join("") ?? "") as Record<string, unknown>[];
      expect(told.map(({ id }) => id)).toEqual(chosen.map((_, at) => at));
      expect(told.map(({ result }) => result)).toEqual(
        data.map((each, at) => (isHeld(each, at) ? each : undefined)),
      );
    }),
  );
});

test.each([
  ['["0xa",false]', '["0xa",false]'],
  ['["0xA",false]', '["0xa",false]'],
  ['["0xa" ,false]', '["0xa",false]'],
  ['["0x\\u0061",false]', '["0xa",false]'],
  ['["latest",false]', '["0x10",false]'],
])("params %s are sent to a node as %s", (given, sent) => {
  const asked: string[] = [];
  const network = stubNetwork("net", (_, params) => {
    asked.push(params);
    return "null";
  });
  const pipeline = pipelineWith({
    draw: () => undefined,
    admit: (_, credits) => ({ credits }) as Reservation,
    settle: nothing,
  });
  const session = { network, identity: IDENTITY, requestId: "r" };
  const body = `{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":${given}}`;
  answerMessage(
    Buffer.from(body),
    { session, pipeline, turns: loop.clientReads, holding: someHolding() },
    nothing,
  );
  expect(asked).toEqual([sent]);
});
