import { Authenticator, type Identity } from "../../../src/access/authenticator.ts";
import type { EvmNetworkConfig } from "../../../src/config/network-schema.ts";
import type { PlanConfig } from "../../../src/config/plans.ts";
import { LeaseRecovery } from "../../../src/credits/lease-recovery.ts";
import { Ledger, type Reservation } from "../../../src/credits/ledger.ts";
import { Call } from "../../../src/gateway/call.ts";
import { Pipeline } from "../../../src/gateway/pipeline.ts";
import { encode } from "../../../src/jsonrpc/value.ts";
import type { EvmNetwork } from "../../../src/networks/evm/evm-network.ts";
import type { CallLog } from "../../../src/telemetry/log.ts";
import { HttpUpstream } from "../../../src/transports/http-upstream.ts";
import { UsageRecorder } from "../../../src/usage/usage-recorder.ts";
import { EventLoop } from "../../../src/wire/event-loop.ts";
import { SimulatedJournal } from "../../credits/simulated-journal.ts";
import { noFilters } from "../../support/no-filters.ts";
import type { Question } from "../questions.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { configOf, type NetworkOptions, silent, simulatedNetwork } from "../simulated-gateway.ts";
import type { SimulatedNode } from "../simulated-node.ts";
import type { VirtualTime } from "../virtual-time.ts";
import { type Books, GatewayBook } from "./books.ts";
import { NodeStreams } from "./node-streams.ts";
import { ProcessTime } from "./process-time.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";

const KEY_BYTES = 100_000;
const KEEP = { minutes: 1e10, hours: 1e11, days: 1e12 };

export type FleetOptions = NetworkOptions & {
  readonly plans: Readonly<Record<string, PlanConfig>>;
  readonly keepsJournal: boolean;
  /** To each node. */
  readonly maxConnections: number;
  /** Of the calls to partners, of all gateways together. */
  readonly partnerCap: number;
  readonly databaseMs: number;
  /** Of the simulation's Unix time. */
  readonly aheadMs: number;
};

type Parts = {
  readonly name: string;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly nodes: readonly SimulatedNode[];
  readonly database: SimulatedDatabase;
  readonly books: Books;
  /** Of processes that were killed before it. */
  readonly journals: readonly SimulatedJournal[];
};

/** One gateway process of the real parts, on simulated time, streams and stores. */
export class FleetGateway {
  readonly name: string;
  readonly network: EvmNetwork;
  readonly authenticator: Authenticator;
  readonly time: ProcessTime;
  readonly book = new GatewayBook();
  /** Its own, and those that it found. */
  readonly journals: readonly SimulatedJournal[];
  /** Calls that waited for the store. */
  readonly waited = new WeakSet<object>();
  /** Calls that came to the pipeline, by account. */
  readonly begun = new Map<string, number>();
  /** Calls that were counted, by account. */
  readonly recorded = new Map<string, number>();
  /** Calls, from the question for their key on, that have not ended. */
  open = 0;
  /** Calls that are counted nowhere. */
  lost = 0;
  readonly #parts: Parts;
  readonly #streams: NodeStreams;
  readonly #ledger: Ledger;
  readonly #usage: UsageRecorder;
  readonly #pipeline: Pipeline;
  #made = 0;

  constructor(options: FleetOptions, parts: Parts) {
    const { name, time, random, nodes, database, journals } = parts;
    this.name = name;
    this.#parts = parts;
    this.time = new ProcessTime(time, options.aheadMs);
    const journal = options.keepsJournal ? new SimulatedJournal(name) : undefined;
    this.journals = journal === undefined ? [] : [journal, ...journals];
    const clock = this.time;
    const stores = database.stores(clock, random.fork(), options.databaseMs);
    const streams = new NodeStreams(nodes, { time, random: random.fork() });
    this.#streams = streams;
    const loop = new EventLoop("plain", {
      ...{ clock, monotonic: clock.monotonic, connect: streams.connect },
      afterReads: (run) => void clock.after(0, run),
      ...{ hasSpareCore: false, hasInside: false },
    });
    this.network = simulatedNetwork(networkConfig(options, nodes), {
      ...{ clock, timers: clock, random: random.next, buffers: loop.buffers },
      turnEnds: (run) => void clock.after(0, run),
      partners: stores.partners,
      partnerCaps: () => ({ day: options.partnerCap }),
      connect: (upstream, { onBroken }) => ({
        transport: new HttpUpstream(upstream, { timers: clock, loop, onBroken }),
        heads: nodes.find((node) => node.options.name === upstream.name)?.heads,
      }),
    });
    this.authenticator = new Authenticator(
      { memoryBytes: KEY_BYTES },
      { storage: stores, clock, onStoreFailure: ignore },
    );
    this.#ledger = new Ledger(
      { plans: options.plans, process: name, isRemote: true },
      { store: stores.ledger, scheduler: clock, journal, onStoreFailure: ignore },
    );
    this.#usage = new UsageRecorder(
      { keep: KEEP, process: name },
      {
        ...{ store: stores.usage, clock, onStoreFailure: ignore },
        onLost: (calls) => {
          this.lost += calls;
        },
      },
    );
    for (const found of journals) {
      const recovery = { journal: found, store: stores.ledger, clock, onDone: ignore };
      new LeaseRecovery(recovery).start();
    }
    this.#pipeline = this.#makePipeline(options);
  }

  start(): void {
    this.network.start();
    this.#ledger.start();
    this.#usage.start();
    void this.authenticator.start();
  }

  /** As after SIGKILL. */
  kill(): void {
    this.time.kill();
    this.#streams.cut();
    for (const { socket } of this.#parts.nodes) socket.stop();
  }

  async stop(): Promise<void> {
    await this.#ledger.stop();
    await this.#usage.stop();
    await this.authenticator.stop();
    await this.network.stop();
  }

  run(
    identity: Identity,
    asked: Question & { readonly minBlock: number | undefined },
    ended: (call: Call) => void,
  ): void {
    this.#made += 1;
    const { accountId } = identity;
    this.begun.set(accountId, (this.begun.get(accountId) ?? 0) + 1);
    const { method, params, minBlock } = asked;
    const session = {
      ...{ network: this.network, identity, requestId: "r" },
      minBlock: minBlock?.toString(),
    };
    const parsed = {
      id: String(this.#made),
      notification: false,
      method,
      params,
      fault: undefined,
    };
    this.#pipeline.run(new Call({ ...parsed, paramsText: encode(params) }, session), ended);
  }

  #makePipeline({ plans }: FleetOptions): Pipeline {
    return new Pipeline({
      clock: this.time,
      log: silent as unknown as CallLog,
      ledger: this.#watchedLedger(),
      usage: {
        record: (call) => {
          const { accountId } = call;
          this.recorded.set(accountId, (this.recorded.get(accountId) ?? 0) + 1);
          this.#usage.record(call);
        },
        contract: (...contract) => this.#usage.contract(...contract),
      },
      mayFailOver: ({ plan }) => plans[plan]?.failover === true,
      usageOf: async () => "{}",
      filters: noFilters,
    });
  }

  #watchedLedger(): Pick<Ledger, "admit" | "draw" | "settle"> {
    const ledger = this.#ledger;
    const { books } = this.#parts;
    const { book } = this;
    return {
      draw: (identity, credits) => ledger.draw(identity, credits),
      admit: (identity, credits, waiter) => {
        books.asked(book, identity, credits);
        const told = (outcome: Reservation | { readonly kind: string }) =>
          books.told(book, { identity, credits }, outcome);
        const outcome = ledger.admit(identity, credits, {
          admitted: (later) => {
            told(later);
            waiter.admitted(later);
          },
        });
        if (outcome === "waiting") this.waited.add(waiter);
        else told(outcome);
        return outcome;
      },
      settle: (reservation, served) => {
        books.settled(book, reservation, served);
        ledger.settle(reservation, served);
      },
    };
  }
}

function networkConfig(options: FleetOptions, nodes: readonly SimulatedNode[]): EvmNetworkConfig {
  const config = configOf(options, nodes);
  const upstreams = config.upstreams.map((upstream) => ({
    ...upstream,
    url: `http://${upstream.name}/`,
    maxConnections: options.maxConnections,
  }));
  return { ...config, upstreams };
}

function ignore(): void {}
