import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blockCursor, logCursor, told } from "../src/methods/cursor.ts";
import { type Cores, cpuTimeUs } from "./cpu.ts";
import { Inspector } from "./inspector.ts";
import { type Part, Processes } from "./processes.ts";
import { aligned, shown, verdict } from "./report.ts";
import { contractOf, type StreamBlock } from "./stream-blocks.ts";
import type { Heard } from "./stream-clients.ts";
import type { Mined, NodeCalls, Tip } from "./stream-node.ts";
import { launchTollgate, prepareTollgate, type RunningTollgate } from "./tollgate.ts";

/** The bounds of what is told: of the CPU of a floor that writes the same, and of each subscriber's memory. */
const MOST_OF_FLOOR = 1.5;
const MOST_BYTES = 2048;

export type StreamName = "newHeads" | "logs";

/** One kind of subscription, at Tollgate or at the floor. */
export type StreamResult = {
  readonly kind: StreamName;
  readonly subject: "tollgate" | "ws-floor";
  readonly sockets: number;
  readonly subscriptions: number;
  /** CPU time of the subject for each notification; null where /proc is absent. */
  readonly cpuUs: number | null;
  /** From the moment when the node told of a block until a client had its notification; and until the last one had. */
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly lastP99Ms: number;
  /** What a subscription takes beside its socket; null for the floor. */
  readonly bytesEach: number | null;
  /** Calls of the node for each block, and where one client alone subscribes; null for the floor. */
  readonly nodeCalls: number | null;
  readonly nodeCallsAlone: number | null;
};

export type StreamOptions = {
  /** The file that Node runs. */
  readonly program: string;
  readonly cores: Cores | null;
  readonly sockets: number;
  /** Of each socket. */
  readonly heads: number;
  /** Of each block: each log filter matches one of them. */
  readonly logs: number;
  readonly blocks: number;
};

type Clients = { readonly part: Part };
type Measured = { readonly cpuUs: number | null; readonly latenciesMs: readonly number[][] };

/** What subscribers cost; `stop` ends it early. */
export class StreamRun {
  readonly #options: StreamOptions;
  readonly #processes: Processes;
  readonly #directories: string[] = [];

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#processes = new Processes({ cores: options.cores });
  }

  /** Rejects where a process fails; `stop` is still to be called. */
  async run(): Promise<StreamResult[]> {
    const results: StreamResult[] = [];
    for (const kind of ["newHeads", "logs"] as const) {
      results.push(await this.#tollgate(kind));
      results.push(await this.#floor(kind));
    }
    return results;
  }

  async stop(): Promise<void> {
    await this.#processes.stopAll();
    for (const directory of this.#directories) {
      await rm(directory, { recursive: true, force: true });
    }
  }

  async #tollgate(kind: StreamName): Promise<StreamResult> {
    const { sockets } = this.#options;
    const bytesEach = await this.#bytesEach(kind);
    const node = await this.#processes.startChild("others", "./stream-node.ts");
    const gateway = await this.#startGateway(node.port);
    const url = urlOf(gateway);
    const alone = await this.#clients(url, 1);
    await alone.part.ask({ kind: "subscribe", each: [[paramsOf(kind, 0)]] });
    const nodeCallsAlone = await this.#nodeCalls(node.part, alone, { kind, count: 1 });
    await alone.part.stop();
    const clients = await this.#clients(url, sockets);
    await clients.part.ask({ kind: "subscribe", each: this.#subscriptions(kind) });
    const count = this.#count(kind);
    const nodeCalls = await this.#nodeCalls(node.part, clients, { kind, count });
    const mine = async () => BigInt((await this.#mine(node.part, kind)).sentNs);
    const measured = await this.#measure(gateway.part, clients, { count, tell: mine });
    for (const part of [clients.part, gateway.part, node.part]) await part.stop();
    return this.#result(kind, measured, {
      ...{ subject: "tollgate", bytesEach, nodeCalls, nodeCallsAlone },
    });
  }

  /** Of a gateway of its own, which an inspector makes collect all garbage. */
  async #bytesEach(kind: StreamName): Promise<number> {
    const node = await this.#processes.startChild("others", "./stream-node.ts");
    const gateway = await this.#startGateway(node.port, ["--inspect=127.0.0.1:0"]);
    const inspector = await Inspector.ofProgram(gateway.part.stderr());
    const clients = await this.#clients(urlOf(gateway), this.#options.sockets);
    const takenBytes = async () => {
      const { usedBytes, externalBytes } = await inspector.heap();
      return usedBytes + externalBytes;
    };
    // Tables have grown by then, and the program has all of its code.
    const [first = []] = this.#subscriptions(kind);
    await clients.part.ask({ kind: "subscribe", each: [first.slice(0, 1)] });
    const before = await takenBytes();
    await clients.part.ask({ kind: "subscribe", each: this.#subscriptions(kind) });
    const after = await takenBytes();
    inspector.close();
    for (const part of [clients.part, gateway.part, node.part]) await part.stop();
    return (after - before) / this.#count(kind);
  }

  async #floor(kind: StreamName): Promise<StreamResult> {
    const node = await this.#processes.startChild("others", "./stream-node.ts");
    await this.#mine(node.part, kind);
    const { block } = (await node.part.ask({ kind: "tip" })) as Tip;
    await node.part.stop();
    const floor = await this.#processes.startChild("subject", "./stream-floor.ts");
    const clients = await this.#clients(`ws://127.0.0.1:${floor.port}/`, this.#options.sockets);
    await clients.part.ask({ kind: "subscribe", each: this.#subscriptions(kind) });
    const rests = restsOf(kind, block);
    const tell = async () => {
      const { sentNs } = (await floor.part.ask({ rests })) as { readonly sentNs: string };
      return BigInt(sentNs);
    };
    const measured = await this.#measure(floor.part, clients, { count: this.#count(kind), tell });
    for (const part of [clients.part, floor.part]) await part.stop();
    return this.#result(kind, measured, {
      ...{ subject: "ws-floor", bytesEach: null, nodeCalls: null, nodeCallsAlone: null },
    });
  }

  #result(
    kind: StreamName,
    { cpuUs, latenciesMs }: Measured,
    rest: Pick<StreamResult, "subject" | "bytesEach" | "nodeCalls" | "nodeCallsAlone">,
  ): StreamResult {
    const all = latenciesMs.flat().sort((a, b) => a - b);
    const last = latenciesMs.map((of) => of.at(-1) ?? 0).sort((a, b) => a - b);
    return {
      ...{ kind, sockets: this.#options.sockets, subscriptions: this.#count(kind), cpuUs },
      ...{ medianMs: quantile(all, 0.5), p99Ms: quantile(all, 0.99) },
      ...{ lastP99Ms: quantile(last, 0.99), ...rest },
    };
  }

  async #startGateway(nodePort: number, flags: readonly string[] = []): Promise<RunningTollgate> {
    const directory = await mkdtemp(join(tmpdir(), "tollgate-bench-"));
    this.#directories.push(directory);
    const { program } = this.#options;
    const options = { program, directory, nodePorts: [nodePort], hasStreams: true };
    return launchTollgate(this.#processes, await prepareTollgate(options), { flags });
  }

  async #clients(url: string, sockets: number): Promise<Clients> {
    const { part } = await this.#processes.startChild("others", "./stream-clients.ts");
    await part.ask({ kind: "open", url, sockets });
    return { part };
  }

  #count(kind: StreamName): number {
    const { sockets, heads } = this.#options;
    return kind === "newHeads" ? sockets * heads : sockets;
  }

  /** By socket, in turn. */
  #subscriptions(kind: StreamName): readonly (readonly unknown[])[][] {
    const { heads, logs } = this.#options;
    if (kind === "newHeads") return [Array.from({ length: heads }, () => paramsOf(kind, 0))];
    return Array.from({ length: logs }, (_, log) => [paramsOf(kind, log)]);
  }

  #mine(node: Part, kind: StreamName): Promise<Mined> {
    const logs = kind === "logs" ? this.#options.logs : 0;
    return node.ask({ kind: "mine", logs }) as Promise<Mined>;
  }

  /** For each of some blocks. */
  async #nodeCalls(
    node: Part,
    clients: Clients,
    { kind, count }: { readonly kind: StreamName; readonly count: number },
  ): Promise<number> {
    const calls = async () => ((await node.ask({ kind: "calls" })) as NodeCalls).calls;
    const mineOne = async () => {
      const heard = clients.part.ask({ kind: "await", count });
      await this.#mine(node, kind);
      await heard;
    };
    await mineOne();
    const before = await calls();
    for (let block = 0; block < CALLED_BLOCKS; block += 1) await mineOne();
    return ((await calls()) - before) / CALLED_BLOCKS;
  }

  /** Blocks one after the other: each is told when all have heard of the one before. */
  async #measure(
    subject: Part,
    clients: Clients,
    { count, tell }: { readonly count: number; readonly tell: () => Promise<bigint> },
  ): Promise<Measured> {
    const { blocks } = this.#options;
    const latenciesMs: number[][] = [];
    let beganUs: number | null = null;
    for (let block = -WARM_UP_BLOCKS; block < blocks; block += 1) {
      if (block === 0) beganUs = cpuTimeUs(subject.pid);
      const heard = clients.part.ask({ kind: "await", count }) as Promise<Heard>;
      const sentNs = await tell();
      const { atNs } = await heard;
      if (block < 0) continue;
      const ms = atNs.map((ns) => Number(BigInt(ns) - sentNs) / 1e6);
      latenciesMs.push(ms.sort((a, b) => a - b));
    }
    const endedUs = cpuTimeUs(subject.pid);
    const tookUs = beganUs === null || endedUs === null ? null : endedUs - beganUs;
    return { cpuUs: tookUs === null ? null : tookUs / (blocks * count), latenciesMs };
  }
}

const urlOf = ({ port, key }: RunningTollgate): string =>
  `ws://127.0.0.1:${port}/bench/ws/v3/${key}`;

const WARM_UP_BLOCKS = 30;
const CALLED_BLOCKS = 5;

const paramsOf = (kind: StreamName, log: number): readonly unknown[] =>
  kind === "newHeads" ? ["newHeads"] : ["logs", { address: contractOf(log) }];

/** What Tollgate tells of a block, from a notification's result on. */
function restsOf(kind: StreamName, { header, logs }: StreamBlock): readonly string[] {
  const cursor = blockCursor(Number(header.number), header.hash);
  if (kind === "newHeads") return [told(JSON.stringify(header), cursor)];
  return logs.map((log, at) => told(JSON.stringify(log), logCursor(cursor, at)));
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;

/** A figure of Tollgate, of that of the floor; null where it was not measured. */
function ofFloor(
  results: readonly StreamResult[],
  kind: StreamName,
  figure: "cpuUs" | "lastP99Ms",
): number | null {
  const figureOf = (subject: StreamResult["subject"]) =>
    results.find((one) => one.kind === kind && one.subject === subject)?.[figure] ?? null;
  const [own, floor] = [figureOf("tollgate"), figureOf("ws-floor")];
  return own === null || floor === null || floor === 0 ? null : own / floor;
}

export function streamTable(results: readonly StreamResult[]): string {
  const lines = results.map((one) => {
    const ofFloors = (figure: "cpuUs" | "lastP99Ms") =>
      one.subject === "tollgate" ? ofFloor(results, one.kind, figure) : null;
    const [cpu, last] = [ofFloors("cpuUs"), ofFloors("lastP99Ms")];
    const isMet = (value: number) => value <= MOST_OF_FLOOR;
    return [
      ...[one.kind, one.subject, String(one.subscriptions), String(one.sockets)],
      ...[shown(one.cpuUs, 2), shown(cpu, 2), verdict(cpu, isMet)],
      ...[one.medianMs, one.p99Ms, one.lastP99Ms].map((ms) => shown(ms, 1)),
      ...[shown(last, 2), verdict(last, isMet)],
      ...[shown(one.bytesEach, 0), verdict(one.bytesEach, (bytes) => bytes <= MOST_BYTES)],
      ...[shown(one.nodeCalls, 1), shown(one.nodeCallsAlone, 1)],
    ];
  });
  return aligned([
    [
      ...["told", "subject", "subscriptions", "sockets", "CPU us each", "of the floor", "<= 1.5"],
      ...["median ms", "p99 ms", "last p99 ms", "of the floor", "<= 1.5"],
      ...["bytes each", "<= 2048"],
      ...["node calls a block", "with one"],
    ],
    ...lines,
  ]);
}
