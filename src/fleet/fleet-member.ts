import { hostname } from "node:os";
import type { MonotonicMs, Time } from "../lib/clock.ts";
import { ownVersion } from "../lib/own-files.ts";
import type { Network } from "../networks/network.ts";
import type { FleetProcess, FleetStore, UpstreamName } from "../storage/fleet-store.ts";
import { type FleetOverview, fleetOf } from "./gateways.ts";
import { checkAgreement, differences } from "./marks.ts";

/**
 * `done`: all gateways hold to it within a second, and after each restart. `here`: this process does, and
 * the storage is told when it answers again. `missing`: the name of the two that nobody has.
 */
export type DrainResult = "done" | "here" | { readonly missing: "network" | "upstream" };

/** Three times before the others take it for gone. */
const TELL_EVERY_MS = 3000;
const LOOK_EVERY_MS = 500;
/** An operator waits no longer for a storage that hangs. */
const SWITCH_MS = 1000;

export type FleetOptions = {
  /** `fleet.name`. Default: the host's name and the port. */
  readonly name: string | undefined;
  /** From 1 on. */
  readonly worker: number;
  /** Unlike that of any other process. */
  readonly process: string;
  /** Of its file. */
  readonly marks: FleetProcess["marks"];
};

export type FleetParts = {
  readonly store: FleetStore;
  readonly clock: Time;
  readonly networks: readonly Pick<Network, "name" | "chain" | "upstreams" | "setDrained">[];
  /** Calls so far. */
  readonly calls: () => number;
  readonly leases: () => number;
  readonly open: () => FleetProcess["open"];
  /** Told at the start, and every three seconds where the storage answers: who serves from it, this one too. */
  readonly onGateways: (all: readonly FleetProcess[]) => void;
  /** Told at the start: settings that should be alike in all files, and are not. */
  readonly onDifference: (settings: readonly string[]) => void;
  /** Told once: another process that lives has this one's name. */
  readonly onRival: (name: string) => void;
};

/** Of this process, for as long as it serves. */
type Lasting = Omit<FleetProcess, "callsPerSecond" | "leases" | "heads" | "open" | "marks">;
type Switch = { readonly place: UpstreamName; readonly isDrained: boolean };

/** This process among those that serve from one storage: tells of itself, and holds to what operators drained. */
export class FleetMember {
  readonly #options: FleetOptions;
  readonly #parts: FleetParts;
  /** What the storage was not told yet. */
  readonly #untold = new Map<string, Switch>();
  #marks: FleetProcess["marks"];
  /** How often something was drained or enabled here. */
  #switches = 0;
  #isLooking = false;
  #told: { readonly calls: number; readonly atMs: MonotonicMs };
  #telling: Promise<void> = Promise.resolve();
  #isKnown = false;
  #hasRival = false;
  #stopRounds: () => void = () => undefined;

  constructor(options: FleetOptions, parts: FleetParts) {
    this.#options = options;
    this.#parts = parts;
    this.#marks = options.marks;
    this.#told = { calls: 0, atMs: parts.clock.monotonic() };
  }

  /**
   * Before the networks ask anybody. Where the storage does not answer, what is drained is learned later.
   * @throws StorageError where a gateway that lives has secrets of its own
   */
  async begin(): Promise<void> {
    const { store, clock, onGateways, onDifference } = this.#parts;
    const marks = this.#marks;
    const others = await store.list(clock.now()).catch(() => []);
    checkAgreement(marks, others);
    onGateways(others);
    const differ = differences([marks, ...others.map((other) => other.marks)]);
    if (differ.length > 0) onDifference(differ);
    await this.#look();
  }

  /** Its file was read again. */
  setMarks(marks: FleetProcess["marks"]): void {
    this.#marks = marks;
  }

  /** `port`: the one that was taken. */
  start(port: number): void {
    const { clock } = this.#parts;
    const { name = `${hostname()}:${port}`, worker, process } = this.#options;
    const own: Lasting = { worker, process, name, version: ownVersion(), startedAt: clock.now() };
    const tell = () => {
      this.#telling = this.#tell(own);
    };
    const looks = clock.every(LOOK_EVERY_MS, () => void this.#look());
    const tells = clock.every(TELL_EVERY_MS, tell);
    this.#stopRounds = () => {
      looks();
      tells();
    };
    tell();
  }

  async stop(): Promise<void> {
    this.#stopRounds();
    await this.#telling;
    if (!this.#isKnown) return;
    // Where the storage fails the others take it for gone some seconds later.
    await this.#parts.store.leave(this.#options.process).catch(() => undefined);
  }

  /** @throws StorageError */
  async list(): Promise<FleetOverview> {
    const { store, clock } = this.#parts;
    return fleetOf(await store.list(clock.now()));
  }

  async setDrained(place: UpstreamName, isDrained: boolean): Promise<DrainResult> {
    const network = this.#parts.networks.find(({ name }) => name === place.network);
    if (network === undefined) return { missing: "network" };
    if (!network.setDrained(place.upstream, isDrained)) return { missing: "upstream" };
    this.#switches += 1;
    this.#untold.set(keyOf(place), { place, isDrained });
    return this.#toldSwitches();
  }

  /** Does what was drained or enabled elsewhere, or before. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#tellSwitches();
      const before = this.#switches;
      const drained = await this.#parts.store.drained();
      // What was read while an operator switched something here may be older than that.
      if (before === this.#switches) this.#follow(new Set(drained.map(keyOf)));
    } catch {
      // Those that count credits and read keys say that the storage fails. The next look tries again.
    } finally {
      this.#isLooking = false;
    }
  }

  #toldSwitches(): Promise<"done" | "here"> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(SWITCH_MS, () => resolve("here"));
      this.#tellSwitches()
        .then(
          () => resolve("done"),
          () => resolve("here"),
        )
        .finally(cancel);
    });
  }

  async #tellSwitches(): Promise<void> {
    for (const [key, each] of this.#untold) {
      await this.#parts.store.setDrained(each.place, each.isDrained);
      if (this.#untold.get(key) === each) this.#untold.delete(key);
    }
  }

  #follow(drained: ReadonlySet<string>): void {
    for (const network of this.#parts.networks) {
      for (const { name, drained: isDrained } of network.upstreams) {
        const wanted = drained.has(keyOf({ network: network.name, upstream: name }));
        if (wanted !== isDrained) network.setDrained(name, wanted);
      }
    }
  }

  async #tell(own: Lasting): Promise<void> {
    const { store, clock, networks, leases, open, onRival, onGateways } = this.#parts;
    const { name: ownName, process } = own;
    const heads = networks.map(({ name, chain }) => [name, chain.head?.number ?? null] as const);
    try {
      const before = await store.tell(
        {
          ...own,
          marks: this.#marks,
          callsPerSecond: this.#callsPerSecond(),
          leases: leases(),
          open: open(),
          heads: Object.fromEntries(heads),
        },
        clock.now(),
      );
      // One that ended without a word may have been there before.
      const isRival = this.#isKnown && before !== undefined && before !== process;
      if (isRival && !this.#hasRival) onRival(ownName);
      this.#hasRival ||= isRival;
      this.#isKnown = true;
      onGateways(await store.list(clock.now()));
    } catch {
      // As with a look.
    }
  }

  /** Since this was asked last. */
  #callsPerSecond(): number {
    const now = { calls: this.#parts.calls(), atMs: this.#parts.clock.monotonic() };
    const { calls, atMs } = this.#told;
    this.#told = now;
    return ((now.calls - calls) * 1000) / Math.max(now.atMs - atMs, 1);
  }
}

const keyOf = ({ network, upstream }: UpstreamName): string => JSON.stringify([network, upstream]);
