import type { Call } from "../../src/gateway/call.ts";
import { asBytes } from "../../src/lib/bytes.ts";
import { type Asked, hashIn, isUpset, LEARNING_MS, numberOf, RECOVERY_MS } from "./asked.ts";
import type { HeadHistory } from "./head-history.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { numberIn } from "./node-answers.ts";
import { ancestor, type Block, isOn, type SimulatedChain } from "./simulated-chain.ts";
import type { SimulatedNode } from "./simulated-node.ts";
import { hold } from "./violation.ts";

/** Of two wheels. */
const LATE_MS = 45;

type Told = {
  readonly hash: string;
  readonly number: number | undefined;
  readonly good: SimulatedNode | undefined;
};

export type OracleParts = {
  readonly chain: SimulatedChain;
  /** The head as plans with and without failover see it. */
  readonly histories: Readonly<Record<Asked["plan"], HeadHistory>>;
  readonly nodes: readonly SimulatedNode[];
  readonly timeoutMs: number;
  readonly window: number | undefined;
  /** Whether still nothing speaks against it. */
  readonly isGood: (node: SimulatedNode) => boolean;
  /** When the gateway last did not know whether its chain is the right one. */
  readonly uncheckedMs: (node: SimulatedNode) => number;
};

/** Says what is wrong with an answer. */
export class Oracle {
  readonly #parts: OracleParts;
  readonly #kept: KeptAnswers;

  constructor(parts: OracleParts) {
    this.#parts = parts;
    this.#kept = new KeptAnswers(parts.histories.growth);
  }

  check(asked: Asked, call: Call): void {
    const { endedMs, askedMs } = asked;
    const { timeoutMs } = this.#parts;
    const tookMs = endedMs - askedMs;
    hold(tookMs <= timeoutMs + LATE_MS, () => `answered after ${tookMs} of ${timeoutMs} ms`);
    const good = this.#goodFor(asked, call);
    if (call.error !== undefined) this.#checkError(asked, call, good);
    else this.#checkResult(asked, call, good);
    if (asked.plan === "free") this.#checkShown(asked, call);
    if (!call.isPartners) return;
    hold(asked.plan === "growth", () => "a partner answered a plan without failover");
    // One whose connection has ended shows its chain anew: nobody waits for that where a partner may answer.
    const isUnchecked = good !== undefined && this.#parts.uncheckedMs(good) >= asked.beganMs;
    hold(
      good === undefined || isUnchecked,
      () => `a partner answered, though ${good?.options.name} could`,
    );
  }

  /** A plan without failover is told of no block that only a partner has shown. */
  #checkShown({ question: { expected } }: Asked, { plan, result = [] }: Call): void {
    const { chain, nodes } = this.#parts;
    const primaries = nodes.filter(({ options }) => options.role === "primary");
    if (primaries.length === nodes.length) return;
    const tagged = plan?.tagged ?? -1;
    const highest = Math.max(...primaries.map((node) => node.highestShown));
    hold(tagged <= highest, () => `block ${tagged}, which only a partner has shown`);
    const text = result.map(String).join("");
    for (const [hash] of text.matchAll(/0xb10c[0-9a-f]{60}/g)) {
      const block = chain.find(hash);
      if (block === undefined) continue;
      // Of a partner that was not asked for its head yet nobody knows which fork its states are of.
      const isShown =
        expected.kind === "state"
          ? block.number <= highest
          : primaries.some((node) => node.hasShown(block));
      hold(isShown, () => `a block that only a partner has shown: ${hash}`);
    }
  }

  #checkError(asked: Asked, call: Call, good: SimulatedNode | undefined): void {
    const { name, internal } = call.error ?? { name: "none" };
    const { window, histories } = this.#parts;
    hold(name !== "internal", () => `error ${name}: ${internal}`);
    if (name === "invalid_params") {
      const heads = histories[asked.plan].during(asked.beganMs, asked.endedMs);
      const lowest = Math.min(...heads.map(({ number }) => number));
      const { expected } = asked.question;
      const ends = expected.kind === "logs" ? [expected.from, expected.to] : [];
      const isBeyond = ends.some((end) => Number(end) > lowest);
      hold(isBeyond, () => `error ${name}: the head was ${lowest}`);
      return;
    }
    if (name === "archive_unavailable") {
      const top = Math.max(
        ...histories[asked.plan].during(asked.beganMs, asked.endedMs).map((one) => one.number),
      );
      const block = this.#lowestBlock(asked, call);
      const isOutside = window !== undefined && block !== undefined && block <= top - window;
      hold(isOutside, () => `refused as outside of the window: ${block} of ${top}`);
      return;
    }
    hold(
      good === undefined,
      () => `error ${name} (${internal}), though ${good?.options.name} is well`,
    );
  }

  /** A node that nothing spoke against all the time, and that had what was asked for. */
  #goodFor(asked: Asked, call: Call): SimulatedNode | undefined {
    const { isGood, timeoutMs } = this.#parts;
    const { method } = asked.question;
    // The others may each have taken half of what was left of the time.
    const leastMs = timeoutMs / 2 ** asked.others;
    const found = asked.good.find(({ node, head }) => {
      const { latencyMs, lacks } = node.options;
      if (node.isLimited || leastMs < 8 * latencyMs + 100 || lacks.includes(method)) return false;
      if (!isGood(node) || node.faultMs >= asked.beganMs) return false;
      if (node.lostMs >= asked.beganMs - LEARNING_MS) return false;
      // It was slow, so that calls were not worth their waiting for it.
      const isFull =
        call.error?.internal?.includes(`${node.options.name}: too many calls`) === true;
      if (isFull && node.faultMs >= asked.beganMs - LEARNING_MS) return false;
      return this.#mayUse(asked, head) && this.#has(node, head, { asked, call });
    });
    return found?.node;
  }

  /** Where `confirmations` keep the network's head below, nobody is asked. */
  #mayUse({ minBlock, beganMs, endedMs, plan }: Asked, head: number): boolean {
    if (minBlock === undefined) return true;
    const heads = this.#parts.histories[plan].during(beganMs, endedMs).map(({ number }) => number);
    return minBlock <= Math.min(head, ...heads);
  }

  #has(node: SimulatedNode, head: number, { asked, call }: { asked: Asked; call: Call }): boolean {
    const { chain } = this.#parts;
    const { expected } = asked.question;
    switch (expected.kind) {
      case "block":
      case "state": {
        const number = numberOf(expected.reference, call) ?? call.plan?.head ?? 0;
        if (number > (call.plan?.head ?? -1)) return false;
        const isKept = expected.kind === "block" || this.#isKept(node, number);
        return number <= head && isKept && number <= node.tip.number;
      }
      case "logs":
        return (numberOf(expected.to, call) ?? 0) <= head;
      case "hash":
      case "stateOfHash": {
        const block = chain.find(expected.hash);
        if (block === undefined || !isOn(node.tip, block) || block.number > head) return false;
        return expected.kind === "hash" || this.#isKept(node, block.number);
      }
      case "transaction": {
        const block = ancestor(node.tip, numberIn(expected.hash));
        return block?.transaction === expected.hash && block.number <= head;
      }
      default:
        return head >= 0;
    }
  }

  #isKept(node: SimulatedNode, number: number): boolean {
    return node.tip.number - number < node.options.states;
  }

  #checkResult(asked: Asked, call: Call, good: SimulatedNode | undefined): void {
    const { expected } = asked.question;
    const history = this.#parts.histories[asked.plan];
    const text = Buffer.concat((call.result ?? []).map(asBytes)).toString("latin1");
    const heads = history.during(asked.beganMs, asked.endedMs).map(({ number }) => number);
    const [lowest, highest] = [Math.min(...heads), Math.max(...heads)];
    const isHead = (number: number) => lowest <= number && number <= highest;
    hold(!text.includes("0xbad") || this.#isHidden(asked, call), () => `of another chain: ${text}`);
    if (text.includes("0xbad")) return;
    // Its own hash is null.
    if (expected.kind === "block" && expected.reference === "pending") return;
    switch (expected.kind) {
      case "constant":
        hold(text === expected.result, () => `${text} in place of ${expected.result}`);
        return;
      case "head":
        hold(isHead(Number(JSON.parse(text))), () => `head ${text} of ${lowest} to ${highest}`);
        return;
      case "logs":
        this.#checkLogs(asked, call, { text, good });
        return;
      case "block":
      case "state": {
        if (expected.reference === "latest") {
          const tagged = call.plan?.tagged ?? -1;
          hold(isHead(tagged), () => `latest was ${tagged}, not ${lowest} to ${highest}`);
          hold(tagged >= (asked.minBlock ?? -1), () => `${tagged} is below X-Min-Block`);
        }
        const number = numberOf(expected.reference, call);
        if (text === "null") {
          const isThere = number !== undefined && number <= lowest && good !== undefined;
          hold(!isThere, () => `null for block ${number}, which ${good?.options.name} has`);
        } else this.#checkBlock(asked, call, { hash: hashIn(text), number, good });
        return;
      }
      default:
        this.#checkLookUp(asked, call, { text, good });
    }
  }

  #checkLookUp(
    asked: Asked,
    call: Call,
    { text, good }: { readonly text: string; readonly good: SimulatedNode | undefined },
  ): void {
    const { expected } = asked.question;
    if (!("hash" in expected)) return;
    const { chain } = this.#parts;
    if (text === "null") {
      const isBelieved = good !== undefined && this.#mayBelieveNull(asked, good);
      hold(good === undefined || isBelieved, () => `null, which ${good?.options.name} has`);
      return;
    }
    const block = chain.find(hashIn(text));
    hold(block?.isRight === true, () => `no block of the chain: ${text}`);
    if (expected.kind === "transaction") {
      hold(block.transaction === expected.hash, () => `another transaction: ${text}`);
      this.#checkBlock(asked, call, { ...block, good });
      return;
    }
    hold(block.hash === expected.hash, () => `another block: ${text}`);
    this.#checkOrigin(asked, call, block);
  }

  /** Two nodes that say null are believed, if neither is known to be behind. */
  #mayBelieveNull(asked: Asked, good: SimulatedNode): boolean {
    const { nodes } = this.#parts;
    const doubtful = nodes.filter((node) => {
      if (node === good || node.options.role === "partner") return false;
      if (node.isFaulty || node.faultMs >= asked.beganMs) return true;
      return !asked.good.some((one) => one.node === node) || !this.#finds(node, asked);
    });
    return doubtful.length >= 2;
  }

  #finds(node: SimulatedNode, { question: { expected } }: Asked): boolean {
    if (!("hash" in expected)) return true;
    if (expected.kind === "transaction") {
      return ancestor(node.tip, numberIn(expected.hash))?.transaction === expected.hash;
    }
    const block = this.#parts.chain.find(expected.hash);
    return block !== undefined && isOn(node.tip, block);
  }

  #checkLogs(
    asked: Asked,
    call: Call,
    { text, good }: { readonly text: string; readonly good: SimulatedNode | undefined },
  ): void {
    const { expected } = asked.question;
    if (expected.kind !== "logs") return;
    const from = numberOf(expected.from, call) ?? 0;
    const to = numberOf(expected.to, call) ?? 0;
    hold(to <= (call.plan?.head ?? -1), () => `logs up to ${to}, beyond the head`);
    const found: readonly { blockNumber: string; blockHash: string }[] = JSON.parse(text);
    const node = this.#nodeOf(call);
    // Of partners no head is known at first.
    const isUnknown = node?.options.role === "partner" && node.reports.length === 0;
    const isExcused = node !== undefined && (isUnknown || isUpset(node, asked));
    for (let number = from; number <= to; number += 1) {
      const log = found.find(({ blockNumber }) => Number(blockNumber) === number);
      hold(log !== undefined || isExcused, () => `no logs of block ${number}: ${text}`);
      if (log !== undefined) {
        this.#checkBlock(asked, call, { hash: log.blockHash, number, good });
      }
    }
  }

  /** Whether it came from a node or was kept, it was right when it was made and is so still. */
  #checkOrigin(asked: Asked, call: Call, block: Block): void {
    const node = this.#nodeOf(call);
    if (node === undefined) this.#kept.recalled(call, block);
    else this.#kept.answered(asked, call, { node, block });
  }

  /**
   * It has to be a block of the gateway's chain, unless the gateway could not know better, or had
   * nobody else to ask.
   */
  #checkBlock(asked: Asked, call: Call, { hash, number, good }: Told): void {
    const { chain, histories } = this.#parts;
    const block = chain.find(hash);
    hold(block?.isRight === true, () => `no block of the chain: ${hash}`);
    this.#checkOrigin(asked, call, block);
    if (number === undefined) return;
    hold(block.number === number, () => `block ${block.number} in place of ${number}`);
    const versions = histories[asked.plan].during(asked.beganMs - LEARNING_MS, asked.endedMs);
    const isOurs = versions.some(
      (one) => one.block === undefined || number > one.number || isOn(one.block, block),
    );
    if (isOurs || good === undefined) return;
    const node = this.#nodeOf(call);
    if (node === undefined || node.isFaulty || node.faultMs >= asked.beganMs - RECOVERY_MS) return;
    const known = node.reports.findLast(({ atMs }) => atMs < asked.beganMs - LEARNING_MS)?.tip;
    const isKnown = known !== undefined && isOn(known, block);
    hold(!isKnown, () => `a fork's block ${number} of ${node.options.name}: ${hash}`);
  }

  /** Nothing has told the gateway yet that the node is another one now. */
  #isHidden(asked: Asked, call: Call): boolean {
    const node = this.#nodeOf(call);
    if (node === undefined) return false;
    const { downMs, brokenMs, reports } = node;
    if (brokenMs >= downMs && brokenMs < asked.beganMs) return false;
    return reports.every(({ atMs, tip }) => tip.isRight || atMs < downMs || atMs >= asked.beganMs);
  }

  #nodeOf({ answer }: Call): SimulatedNode | undefined {
    if (answer?.kind !== "result") return undefined;
    return this.#parts.nodes.find(({ options }) => options.name === answer.upstream.name);
  }

  #lowestBlock(asked: Asked, call: Call): number | undefined {
    const { expected } = asked.question;
    if (expected.kind === "logs") return numberOf(expected.from, call);
    if (expected.kind === "transaction") return numberIn(expected.hash);
    if ("hash" in expected) return this.#parts.chain.find(expected.hash)?.number;
    return "reference" in expected ? (numberOf(expected.reference, call) ?? 0) : undefined;
  }
}
