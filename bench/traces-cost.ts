import { createServer } from "node:http";
import { Bench, type BenchOptions, type Pair } from "./bench.ts";
import { listen } from "./child.ts";
import { byRound, cpusOf, type Row, rowsOf, shown } from "./report.ts";
import { scenarioOf } from "./scenarios.ts";
import { unchosenUs } from "./unchosen-call.ts";

/** What tracing adds to a call, microseconds of CPU, with the share of calls that is traced by default. */
const TARGET_US = 0.3;
const SHARE = 0.01;
/** Traced here: what a hundredth adds is less than two processes differ by, and a tenth adds ten times as much. */
const RATIO = 0.1;
/** An answer from memory, one that was kept, one of a node. */
const SCENARIOS = ["local", "hit-number", "forward"] as const;

export type TracesCost = {
  readonly scenario: Row["scenario"];
  readonly offUs: number | null;
  readonly tracedUs: number | null;
  /** By SHARE, of all calls, chosen or not: by the median of the differences within each round. */
  readonly addedUs: number | null;
  readonly faults: Row["faults"];
};

/** The same calls without traces and with some, which a collector takes; `stop` ends it early. */
export class TracesCostRun {
  readonly #options: Omit<BenchOptions, "subjects" | "scenarios" | "traces">;
  #bench: Bench | undefined;

  constructor(options: Omit<BenchOptions, "subjects" | "scenarios" | "traces">) {
    this.#options = options;
  }

  async run(): Promise<{ readonly costs: readonly TracesCost[]; readonly spans: number }> {
    let spans = 0;
    const collector = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => {
        text += chunk;
      });
      request.on("end", () => {
        spans += text.split('"spanId"').length - 1;
        response.end("{}");
      });
    });
    const url = `http://127.0.0.1:${await listen(collector)}`;
    try {
      this.#bench = new Bench({
        ...this.#options,
        scenarios: SCENARIOS.map(scenarioOf),
        subjects: ["tollgate", "tollgate-traced"],
        traces: { url, ratio: RATIO },
      });
      const costs = costsOf(await this.#bench.run(), unchosenUs());
      await this.#bench.stop();
      return { costs, spans };
    } finally {
      collector.close();
      collector.closeAllConnections();
    }
  }

  async stop(): Promise<void> {
    await this.#bench?.stop();
  }
}

function costsOf(pairs: readonly Pair[], unchosen: number): TracesCost[] {
  const rows = rowsOf(pairs);
  return SCENARIOS.map((scenario) => {
    const pair = (subject: Pair["subject"]) =>
      pairs.find((one) => one.subject === subject && one.scenario === scenario);
    const row = (subject: Pair["subject"]) =>
      rows.find((one) => one.subject === subject && one.scenario === scenario);
    const [off, traced] = [row("tollgate"), row("tollgate-traced")];
    const faults = [off, traced].map((one) => one?.faults ?? { count: 1, first: "not measured" });
    return {
      scenario,
      offUs: off?.cpuUsPerCall ?? null,
      tracedUs: traced?.cpuUsPerCall ?? null,
      addedUs: byRound(
        cpusOf(pair("tollgate-traced")),
        cpusOf(pair("tollgate")),
        (own, without) => unchosen + ((own - without - unchosen) * SHARE) / RATIO,
      ),
      faults: faults.find(({ count }) => count > 0) ?? { count: 0, first: null },
    };
  });
}

/** As text for a terminal. */
export function tracesTable(costs: readonly TracesCost[], spans: number): string {
  const lines = costs.map(({ scenario, offUs, tracedUs, addedUs, faults }) => {
    const isMet = addedUs !== null && addedUs <= TARGET_US;
    const fault = faults.count === 0 ? "" : `, ${faults.count} faults: ${faults.first}`;
    const added = `${shown(addedUs, 2)} us added (at most ${TARGET_US}: ${isMet ? "met" : "missed"})`;
    return `${scenario}: ${shown(offUs, 2)} us/call without traces, ${shown(tracedUs, 2)} with ${RATIO * 100} % traced; for ${SHARE * 100} % ${added}${fault}\n`;
  });
  return `${lines.join("")}${spans} spans were taken\n`;
}
