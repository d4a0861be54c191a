import { keyText, MANY_NETWORKS, manyName } from "./bodies.ts";
import { seeded } from "./chain.ts";
import { type Connection, open } from "./connection.ts";
import { Fifo } from "./fifo.ts";
import { Histogram } from "./histogram.ts";
import { type Kind, kindAt } from "./soak-mix.ts";

/** What happened since the last report, or since the beginning. */
export type SoakCounts = {
  readonly bodies: number;
  /** Credits of what was answered. */
  readonly credits: number;
  /** Credits of what clients did not wait for: it may have been served or not. */
  readonly leftCredits: number;
  readonly connections: number;
  readonly faults: number;
  readonly firstFault: string | null;
  /** Bodies that are due, and wait for a connection or an answer. */
  readonly unanswered: number;
};

export type SoakReport = SoakCounts & {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

type Client = { readonly connection: Connection; readonly pool: Pool; usesLeft: number };
type Waiting = { readonly intended: number; readonly kind: Kind };
type Pool = {
  readonly protocol: "http" | "websocket";
  /** In turns: whoever is left alone for the time that the gateway announces is disconnected. */
  readonly idle: Fifo<Client>;
  readonly waiting: Fifo<Waiting>;
};

const CONNECTIONS = { http: 64, websocket: 24 } as const;
/** Of the bodies, by WebSocket. */
const WEBSOCKET_SHARE = 0.2;
/** A client sends so many bodies, half as many on average, and is followed by another. */
const MOST_USES = { http: 400, websocket: 2000 } as const;
const LEAVING_SHARE = 1 / 2000;
const NETWORKS = [
  "bench",
  "batched",
  ...Array.from({ length: MANY_NETWORKS }, (_, n) => manyName(n)),
];

/**
 * Clients that come and go, over HTTP and WebSocket, with many keys on many networks; some leave
 * before they are answered. `send` takes bodies at their intended times; latency counts from those.
 */
export class SoakClients {
  readonly #options: { readonly port: number; readonly keys: number };
  readonly #pools: readonly [Pool, Pool] = [pool("http"), pool("websocket")];
  readonly #all = new Set<Client>();
  readonly #random = seeded(7);
  #histogram = new Histogram();
  #recordFrom = 0;
  #nextBody = 0;
  #inAir = 0;
  #isClosed = false;
  #counts = { bodies: 0, credits: 0, leftCredits: 0, connections: 0, faults: 0 };
  #firstFault: string | null = null;
  /** Called whenever a body was answered; for loops that send the next one then. */
  onAnswer: () => void = () => undefined;

  constructor(options: { readonly port: number; readonly keys: number }) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const opened = this.#pools.flatMap((one) =>
      Array.from({ length: CONNECTIONS[one.protocol] }, () => this.#follow(one)),
    );
    await Promise.all(opened);
  }

  /** Bodies that wait for an answer. */
  get inAir(): number {
    return this.#inAir;
  }

  /** Sends no more of what is due already. */
  drop(): void {
    for (const { waiting } of this.#pools) waiting.clear();
  }

  /** Sends the next body of the mix as soon as a connection is free; `intended` is its time. */
  send(intended: number): void {
    const own = this.#share() < WEBSOCKET_SHARE ? this.#pools[1] : this.#pools[0];
    const next = { intended, kind: kindAt(this.#share()) };
    const client = own.idle.shift();
    if (client === undefined) own.waiting.push(next);
    else this.#sendBy(client, next);
  }

  /** What has happened so far; latency since `resume`, and of bodies that were due after it. */
  report(): SoakReport {
    const histogram = this.#histogram;
    return {
      ...this.#counts,
      firstFault: this.#firstFault,
      unanswered: this.#pools.reduce((sum, { waiting }) => sum + waiting.length, this.#inAir),
      p50Ms: histogram.percentile(0.5) / 1000,
      p99Ms: histogram.percentile(0.99) / 1000,
      maxMs: histogram.max / 1000,
    };
  }

  /** Latency is not counted from now on: what follows is no client's doing. */
  pause(): void {
    this.#recordFrom = Number.POSITIVE_INFINITY;
  }

  resume(): void {
    this.#histogram = new Histogram();
    this.#recordFrom = performance.now();
  }

  close(): void {
    this.#isClosed = true;
    for (const { connection } of this.#all) connection.close();
  }

  #sendBy(client: Client, { intended, kind }: Waiting): void {
    this.#counts.bodies += 1;
    client.usesLeft -= 1;
    const request = { body: kind.body(this.#nextBody++), expected: kind.expected };
    if (this.#share() < LEAVING_SHARE) {
      client.connection.send(request, () => undefined);
      this.#counts.leftCredits += kind.credits;
      this.#replace(client);
      this.onAnswer();
      return;
    }
    this.#inAir += 1;
    client.connection.send(request, (fault) => {
      this.#inAir -= 1;
      if (intended >= this.#recordFrom) {
        this.#histogram.record((performance.now() - intended) * 1000);
      }
      if (fault === null) this.#counts.credits += kind.credits;
      else this.#fail(`${kind.name}: ${fault}`);
      if (fault !== null || client.usesLeft <= 0) this.#replace(client);
      else this.#free(client);
      this.onAnswer();
    });
  }

  #free(client: Client): void {
    const next = client.pool.waiting.shift();
    if (next === undefined) client.pool.idle.push(client);
    else this.#sendBy(client, next);
  }

  #replace(client: Client): void {
    this.#all.delete(client);
    client.connection.close();
    this.#follow(client.pool).catch((error: unknown) => this.#fail(String(error)));
  }

  async #follow(own: Pool): Promise<void> {
    if (this.#isClosed) return;
    const { port, keys } = this.#options;
    const network = NETWORKS[this.#random() % NETWORKS.length];
    const key = keyText(this.#random() % keys);
    const path = own.protocol === "http" ? `/${network}/v3/${key}` : `/${network}/ws/v3/${key}`;
    const connection = await open(own.protocol, { port, path });
    const usesLeft = 1 + (this.#random() % MOST_USES[own.protocol]);
    const client = { connection, pool: own, usesLeft };
    this.#counts.connections += 1;
    this.#all.add(client);
    this.#free(client);
  }

  #fail(fault: string): void {
    if (this.#isClosed) return;
    this.#counts.faults += 1;
    this.#firstFault ??= fault;
  }

  #share(): number {
    return this.#random() / 2 ** 32;
  }
}

function pool(protocol: Pool["protocol"]): Pool {
  return { protocol, idle: new Fifo(), waiting: new Fifo() };
}
