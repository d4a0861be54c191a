import type { Call } from "../../src/gateway/call.ts";
import { type Asked, RECOVERY_MS } from "./asked.ts";
import { planFaults } from "./fault-plan.ts";
import { askMessage, type Question } from "./questions.ts";
import { Repeats } from "./repeats.ts";
import type { Trace } from "./run-seeds.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { Block } from "./simulated-chain.ts";
import { LONGEST_START_MS } from "./simulated-node.ts";
import { hold, Violation } from "./violation.ts";
import { Witness } from "./witness.ts";
import { makeWorld, randomWorld, type World } from "./world.ts";

const SEEN_BLOCK_MS = 1000;
const KEPT_BLOCKS = 32;
/** Of the schedules; they draw from a generator of their own, and the others stay as they were. */
const REPEATS_SHARE = 0.5;
const REPEATS_SALT = 0x5a17;

/** What happened in a schedule, so that it can be seen that things do happen. */
export type Tally = { calls: number; errors: number; partnerCalls: number; faults: number };

/** One random network and its clients, from a seed; every invariant is checked at every step. */
export class Schedule {
  readonly tally: Tally = { calls: 0, errors: 0, partnerCalls: 0, faults: 0 };
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #world: World;
  readonly #witness: Witness;
  readonly #trace: Trace | undefined;
  readonly #shown: Block[] = [];
  #highestSeen = -1;
  #hadChainFaults = false;
  #clientsUntilMs = 0;

  constructor(seed: number, trace?: Trace) {
    this.#seed = seed;
    this.#trace = trace;
    const random = new SeededRandom(seed);
    this.#random = random;
    this.#world = makeWorld(random, randomWorld(random));
    const { gateway, options, ...parts } = this.#world;
    this.#witness = new Witness({
      ...parts,
      ...options,
      network: gateway.network,
      window: options.window,
      partnerCalls: () => gateway.partnerCalls,
      say: (text) => this.#say(text),
    });
  }

  /** @throws Violation */
  async run(): Promise<Tally> {
    const { time, gateway, chain } = this.#world;
    const random = this.#random;
    gateway.network.start();
    const faultsMs = random.between(3000, 12_000);
    const calmMs = time.nowMs + faultsMs + LONGEST_START_MS;
    this.#clientsUntilMs = calmMs + RECOVERY_MS;
    this.tally.faults = planFaults({
      ...{ world: this.#world, random, spanMs: faultsMs, say: (text) => this.#say(text) },
      onChainFault: () => {
        this.#hadChainFaults = true;
      },
    });
    this.#planClient(random.pick([100, 250, 700]));
    this.#planRepeats();
    await this.#runUntil(time.nowMs + faultsMs);
    chain.calm();
    await this.#runUntil(this.#clientsUntilMs);
    this.#checkRecovery(calmMs);
    await this.#runUntil(time.nowMs + this.#world.options.timeoutMs + 100);
    await this.#end();
    this.tally.partnerCalls = gateway.partnerCalls;
    return this.tally;
  }

  async #runUntil(untilMs: number): Promise<void> {
    await this.#world.time.run(untilMs, () => {
      this.#fail();
      this.#witness.look();
      this.#fail();
    });
  }

  #fail(): void {
    const { failed } = this.#witness;
    if (failed === undefined) return;
    const atMs = this.#world.time.nowMs.toFixed(1);
    throw new Violation(`at ${atMs} ms: ${failed.message}`, { cause: failed });
  }

  #say(text: () => string): void {
    this.#trace?.(`${this.#world.time.nowMs.toFixed(1)} ${text()}`);
  }

  /** Calls at random times, so that there are some in every span in which a node recovers. */
  #planClient(spacingMs: number): void {
    const { time } = this.#world;
    const isCalm = time.nowMs > this.#clientsUntilMs - RECOVERY_MS;
    const meanMs = isCalm ? Math.min(spacingMs, 150) : spacingMs;
    time.after(meanMs * this.#random.between(0.1, 1.9), () => {
      if (time.nowMs >= this.#clientsUntilMs) return;
      this.#call();
      this.#planClient(spacingMs);
    });
  }

  #call(): void {
    const { chain } = this.#world;
    const random = this.#random;
    const knowledge = { chain, head: this.#witness.history.number, shown: this.#shown };
    const questions = askMessage(random, knowledge);
    const plan = random.chance(0.5) ? "growth" : "free";
    const minBlock = random.chance(0.15) && this.#highestSeen >= 0 ? this.#highestSeen : undefined;
    this.#send(questions, { plan, minBlock });
  }

  #planRepeats(): void {
    const { chain, time, gateway, nodes } = this.#world;
    const random = new SeededRandom(this.#seed ^ REPEATS_SALT);
    if (!random.chance(REPEATS_SHARE)) return;
    const repeats = new Repeats({
      ...{ chain, time, random },
      head: () => this.#witness.history.number,
      subscribe: (listener) => gateway.network.chain.subscribe(listener),
      isOver: () => time.nowMs >= this.#clientsUntilMs,
      ask: (question) => {
        const plan = random.chance(0.5) ? "growth" : "free";
        this.#send([question], { plan, minBlock: undefined });
      },
    });
    repeats.start();
    for (const node of nodes) {
      node.onComing = (tip, inMs) => repeats.coming(node, tip, inMs);
      node.onLeft = (before, tip) => repeats.left(before, tip);
    }
  }

  #send(
    questions: readonly Question[],
    { plan, minBlock }: Pick<Asked, "plan" | "minBlock">,
  ): void {
    const { gateway } = this.#world;
    const calls = questions.map((question) => ({
      ...question,
      ended: this.#witness.begin({ question, plan, minBlock }, (asked, call) =>
        this.#ended(asked, call),
      ),
    }));
    this.tally.calls += calls.length;
    gateway.run({ plan, minBlock, calls });
  }

  #ended(asked: Asked, call: Call): void {
    if (call.error !== undefined) this.tally.errors += 1;
    this.#highestSeen = Math.max(this.#highestSeen, call.plan?.tagged ?? -1);
    this.#witness.judge(asked, call);
    this.#remember(call);
  }

  #remember({ result, definition }: Call): void {
    if (definition?.lookup === undefined || result === undefined) return;
    const hash = /0xb10c[0-9a-f]{60}/.exec(result.map(String).join(""))?.[0];
    const block = hash === undefined ? undefined : this.#world.chain.find(hash);
    if (block === undefined) return;
    this.#shown.push(block);
    if (this.#shown.length > KEPT_BLOCKS) this.#shown.shift();
  }

  #checkRecovery(calmMs: number): void {
    this.#witness.check(() => {
      for (const node of this.#world.nodes) {
        if (node.options.role === "partner") continue;
        const { state, breaker, chain, isForked } = this.#witness.upstream(node);
        const { name } = node.options;
        // Where blocks are slow, the polls which show which chain a node is on are seldom.
        const { blockTimeMs, reorgShare } = this.#world.chain.habits;
        const forks = isForked || reorgShare > 0 || this.#hadChainFaults;
        const isSeldom = blockTimeMs > SEEN_BLOCK_MS && forks;
        const isWell = breaker.state === "closed" && chain !== "wrong";
        hold(isWell || isSeldom, () => `${name} is still: ${state}`);
        const usedMs = this.#witness.usedMs.get(name) ?? -1;
        // All faults were over then, its own and the others'.
        const overMs = Math.max(calmMs - LONGEST_START_MS, node.faultMs);
        hold(usedMs >= overMs || isSeldom, () => `${name} was not used again: ${usedMs}`);
      }
    });
    this.#fail();
  }

  async #end(): Promise<void> {
    const { gateway, time } = this.#world;
    await gateway.network.stop();
    await this.#runUntil(time.nowMs + 10_000);
    this.#witness.checkEnded();
    this.#witness.check(() => {
      hold(gateway.settled === this.tally.calls, () => "a call was not settled once");
      hold(time.pendingTimers === 0, () => `${time.pendingTimers} timers are left`);
    });
    this.#fail();
  }
}
