import { isNull } from "../../src/transports/answer-block.ts";
import type { InAir, Transport, UpstreamRequest } from "../../src/transports/transport.ts";
import type { UpstreamAnswer } from "../../src/transports/upstream-answer.ts";
import type { HeadSource } from "../../src/upstreams/upstream.ts";
import { answerOf, type NodeState } from "./node-answers.ts";
import type { ChainFaultKind, WireFault } from "./node-faults.ts";
import type { SeededRandom } from "./seeded-random.ts";
import {
  ancestor,
  type Block,
  HISTORY,
  isOn,
  type SimulatedChain,
  WRONG_HISTORY,
} from "./simulated-chain.ts";
import { SimulatedConnection } from "./simulated-connection.ts";
import { SimulatedSocket } from "./simulated-socket.ts";
import type { VirtualTime } from "./virtual-time.ts";

export type NodeOptions = {
  readonly name: string;
  readonly role: "primary" | "partner";
  /** Of a request and its answer; now and then three times as long. */
  readonly latencyMs: number;
  /** So much later than the first one it gets a block. */
  readonly lagMs: number;
  /** How long it keeps a connection without calls. */
  readonly idleMs: number;
  readonly states: number;
  readonly lacks: readonly string[];
  readonly hasSocket: boolean;
};

export type NodeParts = {
  readonly chain: SimulatedChain;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
};

/** The end of its chain at a moment. */
export type Report = {
  readonly atMs: number;
  readonly tip: Block;
  /** The gateway has found out where it joins the chain. */
  isJoined?: boolean;
};

type End = (answer: UpstreamAnswer) => void;
type Request = {
  readonly request: UpstreamRequest;
  readonly end: End;
  /** It came to the node. */
  isThere: boolean;
  /** It went out on a connection that the node had ended. */
  readonly isLate: boolean;
};

/** Of a node that is restarted. */
export const LONGEST_START_MS = 1500;
const DEEPEST_FORK = 4;
const REFUSED: UpstreamAnswer = { kind: "unreachable", code: "ECONNREFUSED" };
const BROKEN: UpstreamAnswer = { kind: "unreachable", code: "ECONNRESET" };
const STALE: UpstreamAnswer = { ...BROKEN, isStale: true };

/** One node: it follows the chain, answers, and has faults that begin and end. */
export class SimulatedNode {
  readonly options: NodeOptions;
  readonly transport: Transport;
  /** What the gateway was told of it. */
  readonly reports: Report[] = [];
  /** Each end of its chain, with the moment from which on it had it. */
  readonly tips: Report[] = [];
  readonly socket: SimulatedSocket;
  readonly connection: SimulatedConnection;
  /** Told of each request when it is sent. */
  onRequest: (request: UpstreamRequest) => void = () => {};
  onReport: (tip: Block) => void = () => {};
  /** Told when all connections to it break. */
  onBreak: () => void = () => {};
  /** Told when it is going to have another end of the chain. */
  onComing: (tip: Block, inMs: number) => void = () => {};
  /** Told when it leaves blocks for others. */
  onLeft: (before: Block, tip: Block) => void = () => {};
  tip: Block;
  wire: WireFault | undefined;
  /** It refused calls because there were too many: from then on it gets fewer. */
  isLimited = false;
  /** When a fault of it last ended. */
  faultMs = Number.NEGATIVE_INFINITY;
  /** When an answer last showed that the connection had broken. */
  brokenMs = Number.NEGATIVE_INFINITY;
  /** When it last went down. */
  downMs = Number.NEGATIVE_INFINITY;
  /** When it last left blocks for others. */
  lostMs = Number.NEGATIVE_INFINITY;
  readonly #parts: NodeParts;
  readonly #inAir = new Map<End, Request>();
  #stopped: Request[] = [];
  #chainFault: ChainFaultKind | undefined;
  #received: Block;
  #receivedOrder = 0;
  #isDown = false;
  #starts = 0;
  /** Its end of the chain at each of its answers. */
  readonly #tips: Block[] = [];
  #highest = -1;

  constructor(options: NodeOptions, parts: NodeParts) {
    this.options = options;
    this.#parts = parts;
    this.tip = parts.chain.tip;
    this.tips.push({ atMs: Number.NEGATIVE_INFINITY, tip: this.tip });
    this.#received = this.tip;
    this.socket = new SimulatedSocket(this, parts);
    this.connection = new SimulatedConnection(options, parts.time);
    const { connection } = this;
    this.transport = {
      get isConnected() {
        return connection.isOpen;
      },
      call: (request, asker) => this.#call(request, (answer) => asker.answered(answer)),
      close: async () => {},
    };
    let order = 0;
    parts.chain.subscribe((tip) => {
      order += 1;
      const own = order;
      const delayMs = options.lagMs * parts.random.between(0.8, 1.5);
      this.onComing(tip, delayMs);
      parts.time.after(delayMs, () => this.#receive(tip, own));
    });
  }

  get heads(): HeadSource | undefined {
    return this.options.hasSocket ? this.socket : undefined;
  }

  get chainFault(): ChainFaultKind | undefined {
    return this.#chainFault;
  }

  /** The highest block that it had when it last told the gateway anything. */
  get highestShown(): number {
    return this.#highest;
  }

  /** Whether it had the block when it told the gateway anything. */
  hasShown(block: Block): boolean {
    return this.#tips.findLast((tip) => isOn(tip, block)) !== undefined;
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  get isFaulty(): boolean {
    return this.#isDown || this.wire !== undefined || this.#chainFault !== undefined;
  }

  /** Nothing gets through, though the connection stands. */
  get isSilent(): boolean {
    return this.wire?.kind === "stopped" || this.wire?.kind === "half-open";
  }

  beginWire(fault: WireFault): void {
    this.wire = fault;
    this.isLimited ||= fault.kind === "too many";
    if (fault.kind === "reset" && fault.share === 1) this.#break();
  }

  endWire(): void {
    const wasHalfOpen = this.wire?.kind === "half-open";
    this.wire = undefined;
    this.faultMs = this.#parts.time.nowMs;
    const waiting = this.#stopped;
    this.#stopped = [];
    for (const each of waiting) this.#work(each);
    if (wasHalfOpen) this.#break();
    this.socket.told(this.tip);
  }

  beginChain(kind: ChainFaultKind): void {
    this.#chainFault = kind;
    if (kind === "wrong chain") {
      this.#restart(WRONG_HISTORY[Math.min(this.tip.number, WRONG_HISTORY.length - 1)] as Block);
    } else if (kind === "empty") this.#restart(HISTORY[0] as Block);
    else if (kind === "forked") this.#fork();
  }

  endChain(): void {
    const wasRestarted = this.#chainFault === "wrong chain" || this.#chainFault === "empty";
    this.#chainFault = undefined;
    this.faultMs = this.#parts.time.nowMs;
    if (wasRestarted) this.#restart(this.#received);
    else this.#turnTo(this.#received);
  }

  /** The process ends, and another one is there a little later. */
  #restart(tip: Block): void {
    const { time, random } = this.#parts;
    this.#isDown = true;
    this.downMs = time.nowMs;
    this.#starts += 1;
    const start = this.#starts;
    this.#break();
    time.after(random.between(100, LONGEST_START_MS), () => {
      if (start !== this.#starts) return;
      this.#isDown = false;
      this.faultMs = time.nowMs;
      this.#turnTo(this.#chainFault === undefined ? this.#received : tip);
    });
  }

  #break(): void {
    this.socket.broke();
    this.onBreak();
    const { time } = this.#parts;
    if (this.connection.isOpen) {
      time.after(0, () => {
        this.brokenMs = time.nowMs;
        this.connection.ended();
      });
    }
    for (const [end, { isThere }] of this.#inAir) {
      time.after(0, () => end(isThere ? BROKEN : STALE));
    }
  }

  #receive(tip: Block, order: number): void {
    if (order < this.#receivedOrder) return;
    this.#receivedOrder = order;
    this.#received = tip;
    if (this.#isDown || this.#chainFault === "stale" || this.#chainFault === "empty") return;
    if (this.#chainFault === "forked") this.#turnTo(this.#parts.chain.extend(this.tip));
    else if (this.#chainFault !== "wrong chain") this.#turnTo(tip);
  }

  /** Its own blocks, in place of the last ones that it has. */
  #fork(): void {
    const { chain, random } = this.#parts;
    const depth = random.int(0, DEEPEST_FORK);
    let block = ancestor(this.tip, Math.max(this.tip.number - depth, 0)) as Block;
    for (let more = depth; more >= 0; more -= 1) block = chain.extend(block);
    this.#turnTo(block);
  }

  #turnTo(tip: Block): void {
    if (tip === this.tip) return;
    const before = this.tip;
    const hasLeft = !isOn(tip, before);
    if (hasLeft) this.lostMs = this.#parts.time.nowMs;
    this.tip = tip;
    this.tips.push({ atMs: this.#parts.time.nowMs, tip });
    this.socket.told(tip);
    if (hasLeft && tip.isRight && before.isRight) this.onLeft(before, tip);
  }

  #show(tip: Block): void {
    if (this.#tips.at(-1) !== tip) this.#tips.push(tip);
    this.#highest = Math.max(this.#highest, tip.number);
  }

  /** A request over a connection that was just opened: the node is closing others at most. */
  askOverFresh(request: UpstreamRequest, done: End): InAir {
    return this.#call(request, done, false);
  }

  #call(request: UpstreamRequest, done: End, isLate = this.connection.isClosing): InAir {
    const { time, random } = this.#parts;
    this.onRequest(request);
    const leave = () => {
      time.clear(timer);
      this.#inAir.delete(end);
    };
    const end: End = (answer) => {
      if (!this.#inAir.has(end)) return;
      leave();
      if (answer.kind === "unreachable") this.brokenMs = time.nowMs;
      else if (answer.kind !== "timeout") this.connection.answered(() => this.#inAir.size > 0);
      done(answer);
    };
    const timer = time.set(request.timeoutMs, () => end({ kind: "timeout" }));
    const sent: Request = { request, end, isThere: false, isLate };
    this.#inAir.set(end, sent);
    time.after(this.#travelMs(random), () => this.#work(sent));
    return { cancel: leave };
  }

  #travelMs(random: SeededRandom): number {
    const isSlow = random.chance(0.05);
    return (this.options.latencyMs / 2) * random.between(0.5, isSlow ? 3 : 1.2);
  }

  #work(sent: Request): void {
    const { time, random } = this.#parts;
    const { wire } = this;
    sent.isThere = true;
    if (sent.isLate) {
      sent.end(STALE);
      return;
    }
    if (this.#isDown) {
      sent.end(REFUSED);
      return;
    }
    const isHit = wire !== undefined && random.chance(wire.share);
    if (isHit && wire.kind === "stopped") this.#stopped.push(sent);
    if (isHit && this.isSilent) return;
    const waitMs = isHit && wire.kind === "slow" ? wire.slowMs : 0;
    time.after(waitMs, () => {
      const isWell = !isHit || wire.kind === "slow";
      this.#send(sent, isWell ? this.#answer(sent.request) : wire.answer);
    });
  }

  #send({ request, end }: Request, answer: UpstreamAnswer): void {
    const { time, random } = this.#parts;
    const { tip } = this;
    const isHead = request.method === "eth_getBlockByNumber" && request.params.includes("latest");
    time.after(this.#travelMs(random), () => {
      if (answer.kind === "result") this.#show(tip);
      if (isHead && answer.kind === "result" && !isNull(answer.result)) this.reported(tip);
      end(answer);
    });
  }

  /** The gateway is told of this head. */
  reported(tip: Block): void {
    this.#show(tip);
    if (this.reports.at(-1)?.tip === tip) return;
    this.onReport(tip);
    this.reports.push({ atMs: this.#parts.time.nowMs, tip });
  }

  #answer(request: UpstreamRequest): UpstreamAnswer {
    const { states, lacks } = this.options;
    const kind = this.#chainFault;
    const nulls = kind === "nulls" ? "lookups" : kind === "blind" ? "heads" : "none";
    const state: NodeState = { tip: this.tip, chain: this.#parts.chain, states, lacks, nulls };
    return answerOf(state, request);
  }
}
