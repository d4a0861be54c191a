import type { Call } from "../../src/gateway/call.ts";
import type { Asked } from "./asked.ts";
import type { HeadHistory } from "./head-history.ts";
import { type Block, isOn } from "./simulated-chain.ts";
import type { SimulatedNode } from "./simulated-node.ts";
import { hold } from "./violation.ts";

/** An answer that may be of a fork nobody was told of is forgotten by a head that is further on. */
const PASSING_BLOCKS = 4;
/** A node's report of its head travels so long. */
const TRAVEL_MS = 300;

type Origin = Pick<Asked, "computedMs" | "endedMs"> & { readonly node: SimulatedNode };

/** Where kept answers came from, and whether they may still be given. */
export class KeptAnswers {
  readonly #history: HeadHistory;
  /** By method, params and block: the nodes' answers, one of which is the one that is kept. */
  readonly #origins = new Map<string, Origin[]>();

  constructor(history: HeadHistory) {
    this.#history = history;
  }

  /** A node answered: the block was on its chain after the question, and what was known then. */
  answered(asked: Asked, call: Call, { node, block }: { node: SimulatedNode; block: Block }): void {
    const { computedMs, endedMs } = asked;
    const origin = { computedMs, endedMs, node };
    hold(runOf(origin, block) !== undefined, () => {
      return `${node.options.name} has not had block ${block.hash} since ${computedMs}`;
    });
    const key = keyOf(call, block);
    const others = this.#origins.get(key);
    if (others === undefined) this.#origins.set(key, [origin]);
    else others.push(origin);
  }

  /** An answer that was kept is of the gateway's chain, as it is known at this moment. */
  recalled(call: Call, block: Block): void {
    const newest = this.#history.newestKnown;
    if (newest !== undefined && isOn(newest, block)) return;
    const origins = this.#origins.get(keyOf(call, block)) ?? [];
    // A fork of which no node had told when it was left again; nothing in the answer showed it.
    const isSecret = origins.some(
      (origin) => !wasTold(origin, block) && !this.#isForgotten(origin, block),
    );
    hold(isSecret, () => `kept, and not of the chain of ${newest?.hash}: ${block.hash}`);
  }

  #isForgotten({ endedMs }: Origin, { number }: Block): boolean {
    const since = this.#history.during(endedMs, Number.POSITIVE_INFINITY);
    return since.some((one) => one.sinceMs > endedMs && one.number - PASSING_BLOCKS > number);
  }
}

const keyOf = ({ definition, plan }: Call, { hash }: Block): string =>
  `${definition?.method} ${plan?.params} ${hash}`;

type Run = { readonly fromMs: number; readonly untilMs: number };

/** While its node had the block, around the time of the answer. */
function runOf({ node, computedMs, endedMs }: Origin, block: Block): Run | undefined {
  let fromMs: number | undefined;
  for (const [at, tip] of node.tips.entries()) {
    const untilMs = node.tips[at + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    if (!isOn(tip.tip, block)) fromMs = undefined;
    else fromMs ??= tip.atMs;
    const next = node.tips[at + 1]?.tip;
    const isLast = next === undefined || !isOn(next, block);
    if (fromMs === undefined || !isLast) continue;
    if (fromMs <= endedMs && untilMs >= computedMs) return { fromMs, untilMs };
  }
  return undefined;
}

/**
 * While the node had the block it told of a head with it, and the gateway found out where that
 * joins its chain.
 */
function wasTold(origin: Origin, block: Block): boolean {
  const run = runOf(origin, block);
  if (run === undefined) return true;
  return origin.node.reports.some(({ atMs, tip, isJoined }) => {
    const isOfRun = atMs >= run.fromMs && atMs <= run.untilMs + TRAVEL_MS;
    return isJoined === true && isOfRun && isOn(tip, block);
  });
}
