import { isDeepStrictEqual } from "node:util";
import { seeded } from "../credits/calls.ts";
import type { KnownAnswer } from "./known-answers.ts";
import { type Ask, HttpClient, type Reply, WsClient } from "./load-clients.ts";

/** Calls to one network, some over HTTP and some over WebSocket, each with its right answer. */
export type Load = {
  /** Addresses with the key. */
  readonly http: string;
  readonly ws: string;
  /** Every method comes up as often as any other, whatever number of questions it has. */
  readonly known: readonly KnownAnswer[];
  readonly calls: number;
  /** At once: half of them over HTTP, half over one WebSocket. */
  readonly inAir?: number;
  readonly seed?: number;
};

export type LoadReport = {
  readonly calls: number;
  /** No answer, another status than 200, or an error where there should be none: the first few. */
  readonly errors: readonly string[];
  /** A result, or an error of the node, that is not the right one: the first few. */
  readonly wrong: readonly string[];
  readonly faults: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

const IN_AIR = 8;
const TOLD = 10;
const TOLD_LENGTH = 300;

export async function runLoad(load: Load): Promise<LoadReport> {
  const { inAir = IN_AIR, known } = load;
  const tally = new Tally();
  const random = seeded(load.seed ?? 1);
  const pick = <Element>(from: readonly Element[]) => from[Math.floor(random() * from.length)];
  const byMethod = [...Map.groupBy(known, ({ method }) => method).values()];
  const http = new HttpClient(load.http, Math.ceil(inAir / 2));
  const ws = new WsClient(load.ws);
  let sent = 0;
  const worker = async (ask: Ask) => {
    while (sent < load.calls) {
      sent += 1;
      const id = sent;
      const question = pick(pick(byMethod) ?? []);
      if (question === undefined) throw new Error("there is nothing to ask");
      const { answer, ...call } = question;
      const begun = performance.now();
      const reply = await ask(JSON.stringify({ jsonrpc: "2.0", id, ...call }), id).catch(
        (error: Error) => error,
      );
      tally.add(question, judge(question, id, reply), performance.now() - begun);
    }
  };
  const workers = Array.from({ length: inAir }, (_, index) =>
    worker(index % 2 === 0 ? http.ask : ws.ask),
  );
  await Promise.all(workers);
  await Promise.all([http.close(), ws.close()]);
  return tally.report();
}

type Verdict = { readonly kind: "right" | "error" | "wrong"; readonly told: string };

function judge(question: KnownAnswer, id: number, reply: Reply | Error): Verdict {
  if (reply instanceof Error) return { kind: "error", told: reply.message };
  const { status, text } = reply;
  if (status !== 200) return { kind: "error", told: `${status} ${text}` };
  const { jsonrpc, id: echoed, ...answer } = JSON.parse(text) as Record<string, unknown>;
  const right = isDeepStrictEqual(answer, question.answer);
  if (right && jsonrpc === "2.0" && echoed === id) return { kind: "right", told: "" };
  const unexpected = "error" in answer && !("error" in question.answer);
  const told = `${text}, not ${JSON.stringify(question.answer)}`;
  return { kind: unexpected ? "error" : "wrong", told };
}

class Tally {
  readonly #errors: string[] = [];
  readonly #wrong: string[] = [];
  readonly #times: number[] = [];
  #faults = 0;

  add({ method, params }: KnownAnswer, { kind, told }: Verdict, ms: number): void {
    this.#times.push(ms);
    if (kind === "right") return;
    this.#faults += 1;
    const list = kind === "error" ? this.#errors : this.#wrong;
    const [asked, answered] = [JSON.stringify(params), told].map((text) =>
      text.length > TOLD_LENGTH ? `${text.slice(0, TOLD_LENGTH)}…` : text,
    );
    if (list.length < TOLD) list.push(`${method} ${asked}: ${answered} (${Math.round(ms)} ms)`);
  }

  report(): LoadReport {
    const times = this.#times.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(times[Math.ceil(times.length * share) - 1] ?? 0);
    return {
      calls: times.length,
      errors: this.#errors,
      wrong: this.#wrong,
      faults: this.#faults,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      maxMs: at(1),
    };
  }
}
