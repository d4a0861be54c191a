import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { type PostgresServer, startPostgresServer } from "../test/support/postgres-server.ts";
import type { Pair } from "./bench.ts";
import { type Cores, cpuTimeUs, endedChildrenUs, parentOf } from "./cpu.ts";
import { aligned, type Row, shown } from "./report.ts";
import type { ScenarioName } from "./scenarios.ts";

/** A call of a gateway on PostgreSQL costs it at most so many times what it costs on SQLite, */
const TARGET_RATIO = 1.05;
/** and the gateway asks for no more in a second. */
const TARGET_STATEMENTS = 15;

/** What the gateway asked of the database during loops, and what that took the database. */
export type StorageCost = {
  readonly calls: number;
  readonly seconds: number;
  readonly statements: number;
  /** Of all processes of the server; null where /proc is absent. */
  readonly databaseUs: number | null;
};

/** A server of its own, on the cores that are not the subject's. */
export class BenchDatabase {
  readonly #server: PostgresServer;

  private constructor(server: PostgresServer) {
    this.#server = server;
  }

  /** From a package that `npm run pretest` installs. */
  static async start(cores: Cores | null): Promise<BenchDatabase> {
    const server = await startPostgresServer();
    const pid = String(server.pid());
    if (cores !== null) execFileSync("taskset", ["-a", "-c", "-p", cores.others, pid]);
    return new BenchDatabase(server);
  }

  get url(): string {
    return this.#server.url;
  }

  /** CPU time of its processes so far, those that have ended too; null where /proc is absent. */
  cpuUs(): number | null {
    const own = this.#server.pid();
    const ended = endedChildrenUs(own);
    if (ended === null) return null;
    return processesOf(own).reduce((sum, pid) => sum + (cpuTimeUs(pid) ?? 0), ended);
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

/** The process and its children. */
function processesOf(parent: number): readonly number[] {
  try {
    const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
    return pids.filter((pid) => pid === parent || parentOf(pid) === parent);
  } catch {
    return [];
  }
}

/** How often the gateway has asked its storage since it began. */
export async function statementsOf(adminPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return Number(/^tollgate_storage_statements_total (\d+)/m.exec(text)?.[1] ?? Number.NaN);
}

/** As text for a terminal: each scenario on SQLite and on PostgreSQL. */
export function storageTable(rows: readonly Row[], pairs: readonly Pair[]): string {
  const head = ["scenario", "SQLite us/call", "PostgreSQL us/call", "ratio", "target"];
  const costs = ["statements/s", "at 1,000 calls/s", "target", "database us/call"];
  const lines = pairs.flatMap(({ subject, scenario, storage }) => {
    if (storage === undefined) return [];
    const ratio = rowOf(rows, subject, scenario)?.ratio ?? null;
    const [closed, open] = [sumOf(storage.closed), sumOf(storage.open)];
    const most = Math.max(closed.perSecond ?? 0, open.perSecond ?? 0);
    return [
      [
        scenario,
        shown(rowOf(rows, "tollgate", scenario)?.cpuUsPerCall ?? null, 1),
        shown(rowOf(rows, subject, scenario)?.cpuUsPerCall ?? null, 1),
        shown(ratio, 2),
        ratio === null ? "" : `<= ${TARGET_RATIO} ${ratio <= TARGET_RATIO ? "met" : "missed"}`,
        shown(closed.perSecond, 1),
        shown(open.perSecond, 1),
        `<= ${TARGET_STATEMENTS} ${most <= TARGET_STATEMENTS ? "met" : "missed"}`,
        shown(closed.databaseUsPerCall, 2),
      ],
    ];
  });
  return aligned([[...head, ...costs], ...lines]);
}

const rowOf = (rows: readonly Row[], subject: Pair["subject"], scenario: ScenarioName) =>
  rows.find((row) => row.subject === subject && row.scenario === scenario);

function sumOf(costs: readonly StorageCost[]): {
  readonly perSecond: number | null;
  readonly databaseUsPerCall: number | null;
} {
  const sum = (of: (cost: StorageCost) => number) =>
    costs.reduce((total, cost) => total + of(cost), 0);
  const calls = sum((cost) => cost.calls);
  const isKnown = costs.every(({ databaseUs }) => databaseUs !== null);
  if (calls === 0) return { perSecond: null, databaseUsPerCall: null };
  return {
    perSecond: sum((cost) => cost.statements) / sum((cost) => cost.seconds),
    databaseUsPerCall: isKnown ? sum((cost) => cost.databaseUs ?? 0) / calls : null,
  };
}
