import type { Call } from "../../src/gateway/call.ts";
import type { EvmNetwork } from "../../src/networks/evm/evm-network.ts";
import type { UpstreamRequest } from "../../src/transports/transport.ts";
import type { Upstream } from "../../src/upstreams/upstream.ts";
import type { Asked } from "./asked.ts";
import { HeadHistory } from "./head-history.ts";
import { Oracle } from "./oracle.ts";
import type { Question } from "./questions.ts";
import type { SimulatedChain } from "./simulated-chain.ts";
import type { SimulatedNode } from "./simulated-node.ts";
import { hold, Violation } from "./violation.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** What the gateway asks for its own sake: clients ask for blocks with all of their transactions. */
const OWN = /^eth_chainId|^eth_getBlockBy.*false\]$/;

export type WitnessParts = {
  readonly time: VirtualTime;
  readonly chain: SimulatedChain;
  /** Of this gateway. */
  readonly nodes: readonly SimulatedNode[];
  readonly network: EvmNetwork;
  readonly timeoutMs: number;
  readonly window: number | undefined;
  readonly partnerCap: number;
  /** Calls of partners that were counted. */
  readonly partnerCalls: () => number;
  readonly say: (text: () => string) => void;
};

export type Message = Pick<Asked, "plan" | "minBlock"> & { readonly question: Question };

/** Watches one gateway and its nodes: its heads, whom it asks, and what it answers. */
export class Witness {
  readonly history: HeadHistory;
  /** When a client's call was last sent to a node. */
  readonly usedMs = new Map<string, number>();
  /** Calls that have not ended. */
  open = 0;
  /** The first thing that was wrong. */
  failed: Violation | undefined;
  readonly #parts: WitnessParts;
  readonly #upstreams: ReadonlyMap<SimulatedNode, Upstream>;
  /** Of plans that no partner answers. */
  readonly #shownHistory: HeadHistory;
  readonly #oracle: Oracle;
  readonly #inAir = new Set<Asked>();
  readonly #uncheckedMs = new Map<SimulatedNode, number>();
  #openWithFailover = 0;
  #partnerRequests = 0;
  readonly #stepHistories = () => {
    this.history.step();
    this.#shownHistory.step();
  };

  constructor(parts: WitnessParts) {
    this.#parts = parts;
    const { network, chain, nodes, time, timeoutMs, window, say } = parts;
    this.#upstreams = new Map(nodes.map((node) => [node, upstreamOf(network, node)]));
    this.history = new HeadHistory(network, { chain, time });
    this.#shownHistory = new HeadHistory(network, { chain, time }, "shown");
    this.history.say = say;
    const isGood = (node: SimulatedNode) => this.isGood(node);
    const uncheckedMs = (node: SimulatedNode) => this.#uncheckedMs.get(node) ?? -1;
    const histories = { growth: this.history, free: this.#shownHistory };
    this.#oracle = new Oracle({
      ...{ chain, histories, nodes, timeoutMs, window, isGood, uncheckedMs },
    });
    for (const node of nodes) {
      node.onReport = (tip) => say(() => `${node.options.name} reports ${tip.number} ${tip.hash}`);
      node.onRequest = (request) => this.#requested(node, request);
    }
  }

  /** Remembers the first violation. */
  check(checks: () => void): void {
    try {
      checks();
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.failed ??= error;
    }
  }

  /** After each event. */
  look(): void {
    this.check(this.#stepHistories);
    for (const node of this.#parts.nodes) {
      const upstream = this.upstream(node);
      this.#noteJoined(node, upstream);
      if (upstream.chain !== "right") this.#uncheckedMs.set(node, this.#parts.time.nowMs);
    }
  }

  upstream(node: SimulatedNode): Upstream {
    return this.#upstreams.get(node) as Upstream;
  }

  isGood(node: SimulatedNode): boolean {
    const upstream = this.upstream(node);
    return !node.isFaulty && upstream.state === "ready" && !upstream.isForked;
  }

  /** A call of a client begins. Returns who is to be told of its end. */
  begin(message: Message, ended: (asked: Asked, call: Call) => void): (call: Call) => void {
    const asked = this.#ask(message);
    const { plan } = message;
    this.#inAir.add(asked);
    this.open += 1;
    if (plan === "growth") this.#openWithFailover += 1;
    let ends = 0;
    return (call) => {
      ends += 1;
      this.#inAir.delete(asked);
      this.open -= 1;
      if (plan === "growth") this.#openWithFailover -= 1;
      this.check(() => {
        hold(ends === 1, () => "a call was answered twice");
        this.history.step(true);
        this.#shownHistory.step(true);
        asked.endedMs = this.#parts.time.nowMs;
        ended(asked, call);
      });
    };
  }

  /** @throws Violation where the answer is wrong */
  judge(asked: Asked, call: Call): void {
    const describe = () => describeCall(asked, call);
    this.#parts.say(describe);
    try {
      this.#oracle.check(asked, call);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      throw new Violation(`${error.message}\n  ${describe()}`, { cause: error });
    }
  }

  /** After the end. */
  checkEnded(): void {
    this.check(() => {
      hold(this.open === 0, () => `${this.open} calls were never answered`);
      for (const { name, inFlight } of this.#parts.network.upstreams) {
        hold(inFlight === 0, () => `${inFlight} calls of ${name} never ended`);
      }
    });
  }

  #ask({ question, plan, minBlock }: Message): Asked {
    const { time, nodes } = this.#parts;
    const primaries = nodes.filter(({ options }) => options.role === "primary");
    // The answer may be one that was asked for before: what was wrong then excuses it.
    const shared = [...this.#inAir].filter((one) => one.question.method === question.method);
    const good = primaries.filter(
      (node) =>
        this.isGood(node) && shared.every((one) => one.good.some((each) => each.node === node)),
    );
    const beganMs = Math.min(time.nowMs, ...shared.map((one) => one.beganMs));
    return {
      ...{ question, plan, minBlock, askedMs: time.nowMs, beganMs, endedMs: -1 },
      computedMs: Math.min(time.nowMs, Math.max(beganMs, this.history.reorganisedMs)),
      good: good.map((node) => ({ node, head: this.upstream(node).head })),
      others: nodes.length - good.length,
    };
  }

  /** Whether the gateway knows by now what the heads mean that it was told. */
  #noteJoined(node: SimulatedNode, upstream: Upstream): void {
    const report = node.reports.at(-1);
    if (report === undefined || report.isJoined === true) return;
    const { chain } = this.#parts.network;
    const isFork = upstream.isForked && upstream.forkedAfter < Number.POSITIVE_INFINITY;
    report.isJoined = isFork || chain.hashOf(report.tip.number) === report.tip.hash;
  }

  #requested(node: SimulatedNode, { method, params }: UpstreamRequest): void {
    const { say, time, window, partnerCap, partnerCalls } = this.#parts;
    say(() => `  → ${node.options.name} ${method}`);
    const isClients = !OWN.test(`${method} ${params}`);
    const isUse = isClients || (window !== undefined && method === "eth_getBlockByHash");
    if (isUse) this.usedMs.set(node.options.name, time.nowMs);
    this.check(() => {
      if (isClients) {
        hold(!this.upstream(node).drained, () => `${node.options.name} is drained, and was asked`);
      }
      if (node.options.role === "primary" || method === "eth_chainId") return;
      this.#partnerRequests += 1;
      hold(this.#partnerRequests <= partnerCap, () => "calls of partners above the cap");
      hold(this.#partnerRequests <= partnerCalls(), () => "a partner's call was not counted");
      const mayAsk = !isClients || this.#openWithFailover > 0;
      hold(mayAsk, () => "a partner was asked for a plan without failover");
    });
  }
}

function upstreamOf({ upstreams }: EvmNetwork, node: SimulatedNode): Upstream {
  const found = upstreams.find(({ name }) => name === node.options.name);
  if (found === undefined) throw new Error("there is no such upstream");
  return found;
}

function describeCall(asked: Asked, call: Call): string {
  const { method, params } = asked.question;
  const text = (call.result ?? []).map(String).join("");
  const by = call.answer?.kind === "result" ? call.answer.upstream.name : call.answer?.kind;
  const shownParams = JSON.stringify(params, (_, value) =>
    value instanceof Map ? Object.fromEntries(value) : value,
  );
  const said = call.error === undefined ? text : `${call.error.name}: ${call.error.internal}`;
  const good = asked.good.map(({ node }) => node.options.name);
  return `${method} ${shownParams} (${asked.plan}, min ${asked.minBlock}, since ${asked.beganMs.toFixed(1)}, good ${good}) by ${by} for ${call.plan?.tagged}: ${said}`;
}
