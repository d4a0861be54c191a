import { isDeepStrictEqual } from "node:util";
import type { Fault } from "../config/faults.ts";
import type { NetworkConfig } from "../config/network-schema.ts";
import type { SystemTimers } from "../lib/clock.ts";
import type { Network } from "./network.ts";

/** How long a network that is built anew may take to reach the head that clients have seen. */
const READY_MS = 5000;
/** How long it may take to reach the head again, where that moved while other networks got ready. */
const CATCH_UP_MS = 2000;
const MOST_LOOKS = 5;
/** A replaced network ends so long after the time that its last call may take. */
const RETIRED_MS = 2000;

export type BuiltNetwork = {
  readonly network: Network;
  /** Once it has stopped. */
  readonly forget: () => void;
};

export type NetworkChanges = {
  readonly added: readonly Network[];
  /** Built anew, on the same chain, in the place of those of the same names. */
  readonly replaced: readonly Network[];
  readonly removed: readonly Network[];
};

export type ServedNetworksParts = {
  readonly timers: SystemTimers;
  /** In the place of `before`, if there is one. Nothing is asked of its nodes yet. */
  readonly build: (config: NetworkConfig, before: Network | undefined) => BuiltNetwork;
  /** Told in the turn of the event loop in which the networks change. */
  readonly changed: (changes: NetworkChanges) => void;
};

type Served = BuiltNetwork & { readonly config: NetworkConfig };
type Change = { readonly next: Served; readonly before: Served | undefined };

/** Networks that are ready to be served. The caller has to call one of the two, once. */
export type PreparedNetworks = {
  readonly commit: () => Promise<void>;
  readonly abort: () => Promise<void>;
};

/**
 * The networks that are served. They can be replaced while calls are in flight: a network whose settings changed is
 * built anew beside the old one, and takes its place once it knows the same head. Calls that began with the old one end
 * with it.
 */
export class ServedNetworks {
  readonly #parts: ServedNetworksParts;
  readonly #retired = new Map<Served, () => void>();
  /** Those that are ready to be served, or get ready. */
  readonly #prepared = new Set<Served>();
  #isStopped = false;
  #all: readonly Served[];
  /** As they are now: the contents of the list change. */
  readonly list: Network[];

  constructor(configs: readonly NetworkConfig[], parts: ServedNetworksParts) {
    this.#parts = parts;
    this.#all = configs.map((config) => this.#build(config));
    this.list = this.#all.map(({ network }) => network);
  }

  /** With the hosts that are their own. */
  get addresses(): readonly { readonly network: Network; readonly hosts: readonly string[] }[] {
    return this.#all.map(({ network, config: { hosts } }) => ({ network, hosts }));
  }

  start(): void {
    for (const { network } of this.#all) network.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const others = [...this.#retired.keys(), ...this.#prepared];
    for (const cancel of this.#retired.values()) cancel();
    this.#retired.clear();
    await Promise.all([...this.#all, ...others].map(stopped));
  }

  /**
   * Builds what is new or was changed. Resolves to faults where a network that serves would be replaced by one whose
   * nodes do not tell of the chain.
   */
  async prepare(configs: readonly NetworkConfig[]): Promise<PreparedNetworks | readonly Fault[]> {
    const next = configs.map((config): Change => {
      const before = this.#all.find(({ network }) => network.name === config.name);
      const isSame = before !== undefined && isDeepStrictEqual(before.config, config);
      return { before, next: isSame ? before : this.#build(config, before?.network) };
    });
    const changes = next.filter(({ next, before }) => next !== before);
    for (const { next, before } of changes) {
      this.#prepared.add(next);
      keepDrained(next.network, before?.network);
      next.network.start();
    }
    const leave = () => {
      for (const { next } of changes) this.#prepared.delete(next);
    };
    const abort = async () => {
      leave();
      await Promise.all(changes.map(({ next }) => stopped(next)));
    };
    const found = await Promise.all(changes.map(({ next, before }) => faultOf(next, before)));
    const faults = found.filter((text) => text !== undefined);
    if (faults.length > 0) {
      await abort();
      return faults;
    }
    const commit = async () => {
      await caughtUp(changes);
      if (this.#isStopped) return;
      leave();
      this.#serve(
        next.map(({ next }) => next),
        changes,
      );
    };
    return { commit, abort };
  }

  #build(config: NetworkConfig, before?: Network): Served {
    return { ...this.#parts.build(config, before), config };
  }

  #serve(all: readonly Served[], changes: readonly Change[]): void {
    const gone = this.#all.filter((one) => !all.includes(one));
    const isReplaced = (one: Served) => changes.some(({ before }) => before === one);
    this.#all = all;
    this.list.splice(0, this.list.length, ...all.map(({ network }) => network));
    const built = (isNew: boolean) =>
      changes
        .filter(({ before }) => (before === undefined) === isNew)
        .map(({ next }) => next.network);
    this.#parts.changed({
      added: built(true),
      replaced: built(false),
      removed: gone.filter((one) => !isReplaced(one)).map(({ network }) => network),
    });
    for (const one of gone) this.#retire(one);
  }

  #retire(one: Served): void {
    const cancel = this.#parts.timers.after(one.network.timeoutMs + RETIRED_MS, () => {
      this.#retired.delete(one);
      void stopped(one);
    });
    this.#retired.set(one, cancel);
  }
}

async function stopped({ network, forget }: Served): Promise<void> {
  await network.stop();
  forget();
}

/** An upstream that operators drained stays drained. */
function keepDrained(network: Network, before: Network | undefined): void {
  for (const { name, drained } of before?.upstreams ?? []) {
    if (drained) network.setDrained(name, true);
  }
}

const headOf = ({ chain }: Network): number => chain.head?.number ?? -1;

/** The block that the one in its place has to know. */
const leastAfter = (before: Served | undefined): number =>
  before === undefined ? 0 : Math.max(headOf(before.network), 0);

const isServing = (network: Network): boolean =>
  headOf(network) >= 0 && network.upstreams.some(({ state }) => state === "ready");

const ANOTHER_CHAIN =
  "its nodes are of another chain than those before; give a network of another chain a name of its own";

function isSameChain({ chain }: Network, { chain: before }: Network): boolean {
  const known = before.chainId ?? before.genesisHash;
  return known === undefined || known === (chain.chainId ?? chain.genesisHash);
}

/** Undefined where it can take the place of the one before, which may not serve either. */
async function faultOf(next: Served, before: Served | undefined): Promise<Fault | undefined> {
  const least = leastAfter(before);
  const isReached = await reached(next.network, least, READY_MS);
  if (before === undefined) return undefined;
  const { name, upstreams } = next.network;
  if (isReached && !isSameChain(next.network, before.network)) {
    return { path: `networks.${name}`, line: 0, message: ANOTHER_CHAIN };
  }
  if (isReached || !isServing(before.network)) return undefined;
  const errors = upstreams.flatMap(({ name, lastError }) =>
    lastError.value === undefined ? [] : `${name}: ${lastError.value.message}`,
  );
  const why = errors.length === 0 ? "" : ` (${errors.join("; ")})`;
  const message = `no upstream has told of block ${least} within ${READY_MS / 1000} s${why}`;
  return { path: `networks.${name}`, line: 0, message };
}

function reached(network: Network, least: number, timeoutMs: number): Promise<boolean> {
  if (headOf(network) >= least) return Promise.resolve(true);
  const question = { least, timeoutMs, partner: true };
  return new Promise((resolve) => network.chain.whenHead(question, resolve));
}

/** Waits until no client would see a lower head than before. */
async function caughtUp(changes: readonly Change[]): Promise<void> {
  const behind = () =>
    changes.filter(
      ({ next, before }) =>
        before !== undefined &&
        isServing(before.network) &&
        headOf(next.network) < leastAfter(before),
    );
  for (let looks = 0; looks < MOST_LOOKS && behind().length > 0; looks += 1) {
    const waits = behind().map(({ next, before }) =>
      reached(next.network, leastAfter(before), CATCH_UP_MS),
    );
    await Promise.all(waits);
  }
}
