import { setTimeout } from "node:timers/promises";
import { ON_POSTGRES } from "../support/test-storage.ts";
import { PRICES, type Price, type Question, type Random, seeded } from "./calls.ts";
import { spend } from "./spenders.ts";
import { sumOf, Tally } from "./tally.ts";
import { type Customer, type Figures, startTwoGateways, type TwoGateways } from "./two-gateways.ts";

/** Unspent credits go back 1 s after the last call; from 2 s on `used` is right (docs/credits.md). */
const SETTLED_MS = 2000;

/** The balance ends with 3 credits that buy nothing. So many a second that the day is what ends. */
const PLANS = {
  dear: { dailyCredits: 150_003, creditsPerSecond: 150_000 },
  cheap: { dailyCredits: 50_003, creditsPerSecond: 50_000 },
} satisfies Record<string, Figures>;

/** What is asked for, and how long the node takes: calls are then in the air at the kill, or hardly any. */
type Kind = {
  readonly plan: keyof typeof PLANS;
  readonly prices: readonly Price[];
  readonly delayMs: number;
  readonly clients: number;
};
const DEAR: Kind = { plan: "dear", prices: PRICES, delayMs: 0, clients: 50 };
const KINDS: readonly Kind[] = [
  DEAR,
  { ...DEAR, delayMs: 20 },
  { plan: "cheap", prices: [5, 80], delayMs: 0, clients: 50 },
  // Fewer calls in the air than what may be open beside them.
  { plan: "cheap", prices: [5, 80], delayMs: 0, clients: 8 },
];

type Round = {
  readonly plan: keyof typeof PLANS;
  readonly prices: readonly Price[];
  readonly customer: Customer;
  readonly tally: Tally;
  readonly random: Random;
  /** Of the doubtful calls, those that the killed process may have served, and the others. */
  perhapsServed: number;
  notServed: number;
};

/** What came of a kill. Credits. */
export type Killed = {
  readonly limit: number;
  readonly used: number;
  /** What the clients know to be served. */
  readonly served: number;
  readonly doubtful: { readonly perhapsServed: number; readonly notServed: number };
  /** The most that is open in a process, unless its calls in the air are more. */
  readonly bound: number;
  readonly odd: readonly string[];
};

/** Accounts one after the other, each spent over two processes, of which one is killed meanwhile. */
export async function killTimes(times: number): Promise<readonly Killed[]> {
  const both = await startTwoGateways(PLANS);
  try {
    const rounds: Round[] = [];
    for (let seed = 1; seed <= times; seed += 1) rounds.push(await killOnce(both, seed));
    await setTimeout(SETTLED_MS);
    // What the last leases had locked up is back by now.
    both.node.delayMs = 0;
    const served = () => rounds.reduce((sum, { tally }) => sum + tally.served, 0);
    for (let before = -1; served() > before; ) {
      before = served();
      for (const round of rounds) await spendRound(both, round, 4);
      await setTimeout(SETTLED_MS);
      // There what another gateway had left comes back a moment after these clients have left.
      if (!ON_POSTGRES) break;
    }
    return await Promise.all(rounds.map((round) => outcomeOf(both, round)));
  } finally {
    await both.stop();
  }
}

async function killOnce(both: TwoGateways, seed: number): Promise<Round> {
  const { plan, prices, delayMs, clients } = KINDS[seed % KINDS.length] ?? DEAR;
  const random = seeded(seed);
  const customer = await both.customer(plan);
  const tally = new Tally();
  const round: Round = { plan, prices, customer, tally, random, perhapsServed: 0, notServed: 0 };
  both.node.delayMs = delayMs;
  const spent = spendRound(both, round, clients);
  await tally.reached(PLANS[plan].dailyCredits * (0.2 + 0.6 * random()));
  const victim = random() < 0.5 ? 0 : 1;
  const answered = new Set(both.node.answered);
  both.gateways[victim].process.kill("SIGKILL");
  const restarted = both.workplace.start();
  // Its clients go to the other process, or wait for the next.
  both.ports[victim] =
    random() < 0.5 ? both.gateways[victim === 0 ? 1 : 0].port : restarted.then(({ port }) => port);
  await spent;
  both.gateways[victim] = await restarted;
  both.ports[victim] = both.gateways[victim].port;
  // eth_chainId comes to no node.
  const perhaps = ({ id, served, credits }: Question) =>
    served && (credits === 5 || answered.has(id));
  round.perhapsServed = sumOf(tally.doubtful.filter(perhaps));
  round.notServed = sumOf(tally.doubtful) - round.perhapsServed;
  return round;
}

function spendRound(both: TwoGateways, round: Round, clients: number): Promise<void> {
  const { customer, prices, random, tally } = round;
  const port = (client: number) => both.ports[client % 2] ?? 0;
  return spend(clients, { key: customer.key, prices, port, random, tally });
}

async function outcomeOf(both: TwoGateways, round: Round): Promise<Killed> {
  const { plan, tally, perhapsServed, notServed } = round;
  const { dailyCredits, creditsPerSecond } = PLANS[plan];
  const { used, limit } = await both.usage(round.customer);
  const { served, odd } = tally;
  // A second of throughput or 1 % of the day, at least the dearest call.
  const bound = Math.max(1000, Math.min(creditsPerSecond, Math.floor(dailyCredits / 100)));
  return { limit, used, served, doubtful: { perhapsServed, notServed }, bound, odd };
}
