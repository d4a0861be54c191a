import { openStorage } from "../src/storage/open.ts";
import { seeded } from "../test/credits/calls.ts";
import { FleetWorld, PRICE } from "./fleet-world.ts";
import { aligned, shown } from "./report.ts";
import type { BenchDatabase } from "./storage-cost.ts";

/** What is simulated: each account has one key. */
const GATEWAYS = 100;
const KEYS = 1_000_000;
const CALLS_PER_SECOND = 1_000_000;
/** Accounts have nothing to do with each other: one in a hundred is simulated, and counted a hundred times. */
const SAMPLE = 100;
const STEP_MS = 10;
const SETTLE_SECONDS = 60;
const COUNTED_SECONDS = 20;
/** Of the built-in plan `growth`. */
const GROWTH = 40_000;

export type LeaseRows = {
  /** Whether a load balancer keeps a key at its gateway. */
  readonly routing: "sticky" | "any";
  readonly popularity: "skewed" | "alike";
  readonly rowsPerSecond: number;
};

export type Overshoot = {
  readonly creditsPerSecond: number;
  readonly gateways: number;
  readonly isStoreAway: boolean;
  /** The most that was served in a second and in ten, as a share of the rate. */
  readonly ofSecond: number;
  readonly ofTenSeconds: number;
  /** What was served in all, as a share of the rate. */
  readonly ofAll: number;
};

export type Fleet = {
  readonly rows: readonly LeaseRows[];
  readonly overshoots: readonly Overshoot[];
};

export async function simulateFleet(): Promise<Fleet> {
  const rows: LeaseRows[] = [];
  for (const routing of ["sticky", "any"] as const) {
    for (const popularity of ["skewed", "alike"] as const) {
      rows.push({ routing, popularity, rowsPerSecond: await leaseRows(routing, popularity) });
    }
  }
  const overshoots: Overshoot[] = [];
  for (const creditsPerSecond of [500, 40_000, 4_000_000]) {
    for (const isStoreAway of [false, true]) {
      overshoots.push(await overshoot({ creditsPerSecond, gateways: GATEWAYS, isStoreAway }));
    }
  }
  return { rows, overshoots };
}

async function leaseRows(
  routing: LeaseRows["routing"],
  popularity: LeaseRows["popularity"],
): Promise<number> {
  const world = new FleetWorld({ gateways: GATEWAYS, creditsPerSecond: GROWTH });
  const random = seeded(7);
  const weights = weightsOf(popularity);
  const callsAStep = weights.map((weight) => (weight * CALLS_PER_SECOND * STEP_MS) / 1000);
  const [settled, end] = [SETTLE_SECONDS, SETTLE_SECONDS + COUNTED_SECONDS].map(
    (seconds) => (seconds * 1000) / STEP_MS,
  );
  let before = 0;
  for (let step = 0; step < (end ?? 0); step += 1) {
    if (step === settled) before = world.rows;
    for (const [account, calls] of callsAStep.entries()) {
      const whole = Math.floor(calls) + (random() < calls % 1 ? 1 : 0);
      for (let call = 0; call < whole; call += 1) {
        const gateway = routing === "sticky" ? account : Math.floor(random() * GATEWAYS);
        world.call(gateway % GATEWAYS, account);
      }
    }
    await world.pass(STEP_MS);
  }
  return ((world.rows - before) * SAMPLE) / COUNTED_SECONDS;
}

/** Of the sampled accounts, the share of all calls that each makes: by its rank, or as many as any other. */
function weightsOf(popularity: LeaseRows["popularity"]): readonly number[] {
  const sampled = Array.from({ length: KEYS / SAMPLE }, (_, at) => at * SAMPLE + SAMPLE / 2);
  if (popularity === "alike") return sampled.map(() => 1 / KEYS);
  let harmonic = 0;
  for (let rank = 1; rank <= KEYS; rank += 1) harmonic += 1 / rank;
  return sampled.map((rank) => 1 / rank / harmonic);
}

/** One account whose clients ask each gateway for twice its share, for 20 s, 30 s more and 20 s more. */
async function overshoot({
  creditsPerSecond,
  gateways,
  isStoreAway,
}: Pick<Overshoot, "creditsPerSecond" | "gateways" | "isStoreAway">): Promise<Overshoot> {
  const world = new FleetWorld({ gateways, creditsPerSecond });
  const random = seeded(9);
  const served: number[] = [];
  const callsAStep = (2 * creditsPerSecond * STEP_MS) / 1000 / PRICE;
  for (let atMs = 0; atMs < 70_000; atMs += STEP_MS) {
    world.isStoreAway = isStoreAway && atMs >= 20_000 && atMs < 50_000;
    const whole = Math.floor(callsAStep) + (random() < callsAStep % 1 ? 1 : 0);
    for (let call = 0; call < whole; call += 1) world.call(Math.floor(random() * gateways), 0);
    await world.pass(STEP_MS);
    served.push(world.served);
    world.served = 0;
  }
  const most = (seconds: number) => mostIn((seconds * 1000) / STEP_MS, served) / seconds;
  const all = served.reduce((sum, credits) => sum + credits, 0) / 70;
  return {
    ...{ creditsPerSecond, gateways, isStoreAway },
    ofSecond: most(1) / creditsPerSecond,
    ofTenSeconds: most(10) / creditsPerSecond,
    ofAll: all / creditsPerSecond,
  };
}

function mostIn(steps: number, served: readonly number[]): number {
  let [most, sum] = [0, 0];
  for (const [at, credits] of served.entries()) {
    sum += credits - (served[at - steps] ?? 0);
    most = Math.max(most, sum);
  }
  return most;
}

/** As text for a terminal. `usPerRow`: of the database's CPU; null where it is not known. */
export function fleetTable({ rows, overshoots }: Fleet, usPerRow: number | null): string {
  const head = ["load balancer", "keys are called", "lease rows/s", "cores of the database"];
  const lines = rows.map(({ routing, popularity, rowsPerSecond }) => [
    routing === "sticky" ? "keeps a key at its gateway" : "any gateway",
    popularity,
    shown(rowsPerSecond, 0),
    shown(usPerRow === null ? null : (rowsPerSecond * usPerRow) / 1e6, 1),
  ]);
  const others = ["credits/s", "gateways", "database", "most in 1 s", "most in 10 s", "served"];
  const shares = overshoots.map((one) => [
    String(one.creditsPerSecond),
    String(one.gateways),
    one.isStoreAway ? "away for 30 s" : "there",
    ...[one.ofSecond, one.ofTenSeconds, one.ofAll].map((share) => shown(share, 2)),
  ]);
  return `${GATEWAYS} gateways, ${KEYS} keys, ${CALLS_PER_SECOND} calls/s; a row takes ${shown(usPerRow, 0)} us of the database
${aligned([head, ...lines])}
${aligned([others, ...shares])}`;
}

/** CPU microseconds of the database for a row of a statement of many; null where /proc is absent. */
export async function rowCost(database: BenchDatabase): Promise<number | null> {
  const storage = await openStorage({ url: database.url });
  try {
    const ROWS = 500;
    const STATEMENTS = 40;
    let number = 0;
    const statement = () => {
      number += 1;
      const asks = Array.from({ length: ROWS }, (_, owner) => ({
        ...{ owner: `owner-${owner}`, process: "bench", number, day: 20_000, pool: null },
        ...{ want: 1000, least: 80, limit: 1e9, perSecond: GROWTH, unspent: 0 },
        now: 20_000 * 86_400_000 + number,
      }));
      return Promise.all(asks.map((ask) => storage.ledger.take(ask)));
    };
    // The first makes the rows.
    await statement();
    const before = database.cpuUs();
    for (let at = 0; at < STATEMENTS; at += 1) await statement();
    const after = database.cpuUs();
    return before === null || after === null ? null : (after - before) / (ROWS * STATEMENTS);
  } finally {
    await storage.close();
  }
}
