import type { PlanConfig } from "../../src/config/plans.ts";
import { DAY_MS } from "./simulated-process.ts";
import { Simulation, type StoreMode, turn } from "./simulation.ts";

export const plan = (dailyCredits: number, creditsPerSecond: number): PlanConfig => ({
  dailyCredits,
  creditsPerSecond,
  failover: false,
});

/** From balances that end at once to leases of many calls. */
const PLANS: Readonly<Record<string, PlanConfig>> = {
  tiny: plan(900, 500),
  small: plan(6_000, 2_000),
  slow: plan(200_000, 120),
  medium: plan(300_000, 40_000),
  large: plan(20_000_000, 40_000),
  nothing: plan(0, 0),
};
const PLAN_NAMES = Object.keys(PLANS);
const PRICES = [5, 80, 80, 80, 160, 255, 300, 1000];
const WAITS_MS = [1, 10, 40, 250, 500, 1100, 2500, 10_000];
const JUMPS_MS = [-DAY_MS, -3_600_000, -2000, -1, 1, 2000, 3_600_000, DAY_MS];
const MODES: readonly StoreMode[] = [
  ...(["prompt", "prompt", "manual", "failing", "losing answers", "dying"] as const),
];
const LIMITS = [null, null, 100, 400, 3000];

/** Reads choices out of one number, so that a schedule is a list of numbers, short to shrink. */
export class Choices {
  #rest: number;

  constructor(seed: number) {
    this.#rest = seed;
  }

  upTo(count: number): number {
    const choice = this.#rest % count;
    this.#rest = Math.floor(this.#rest / count);
    return choice;
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.upTo(items.length)] as Item;
  }
}

export type Step = (world: Simulation, choices: Choices) => void | Promise<void>;

const call: Step = (world, choices) => {
  const process = choices.of(world.processes);
  const account = choices.of(world.accounts);
  world.call(process, account, {
    credits: choices.of(PRICES),
    limitedKey: choices.upTo(4) === 0,
  });
};

const burst: Step = (world, choices) => {
  const process = choices.of(world.processes);
  const account = choices.of(world.accounts);
  const credits = choices.of(PRICES);
  const limitedKey = choices.upTo(6) === 0;
  const times = 2 + choices.upTo(30);
  for (let each = 0; each < times; each += 1) world.call(process, account, { credits, limitedKey });
};

const settle: Step = (world, choices) => {
  const process = choices.of(world.processes);
  world.settle(process, choices.upTo(Math.max(1, process.calls.length)), choices.upTo(3) > 0);
};

const settleAll: Step = (world, choices) => {
  const process = choices.of(world.processes);
  const served = choices.upTo(3) > 0;
  while (process.calls.length > 0) world.settle(process, 0, served);
};

const proceed: Step = async (world, choices) => {
  const process = choices.of(world.processes);
  const statements = [...process.store.statements];
  if (statements.length === 0) return;
  const statement = choices.of(statements);
  if (choices.upTo(8) === 0) world.fail(process, statement);
  else await world.proceed(process, statement);
};

const pass: Step = (world, choices) => world.pass(choices.of(WAITS_MS));

const toMidnight: Step = async (world, choices) => {
  const rest = DAY_MS - (world.time.wallMs % DAY_MS);
  await world.sleep(Math.max(0, rest - choices.upTo(300)));
  if (choices.upTo(2) === 0) await world.pass(choices.upTo(600));
};

const jump: Step = (world, choices) => {
  const process = choices.upTo(2) === 0 ? undefined : choices.of(world.processes);
  world.jump(choices.of(JUMPS_MS), process);
};

const mode: Step = async (world, choices) => {
  world.mode = choices.of(MODES);
  await world.deliver();
};

const crash: Step = async (world, choices) => {
  await world.crash(choices.of(world.processes), choices.upTo(2) === 0);
  world.start();
};

const stop: Step = async (world, choices) => {
  const process = choices.of(world.processes);
  while (process.calls.length > 0) world.settle(process, 0, choices.upTo(3) > 0);
  let stopped = false;
  void process.ledger.stop().then(() => {
    stopped = true;
  });
  await world.pass(2500);
  if (!stopped) throw new Error("a stop takes more than two seconds");
  if (world.mode === "prompt") world.checkStopped(process);
  await world.crash(process, true);
  world.start();
};

const change: Step = (world, choices) => {
  const account = choices.of(world.accounts);
  if (choices.upTo(2) === 0) account.plan = choices.of(PLAN_NAMES);
  else {
    account.limits = {
      creditsPerDay: choices.of([null, null, 0, 700, 50_000]),
      creditsPerSecond: choices.of([null, null, 300, 20_000]),
    };
  }
};

const changeKey: Step = (world, choices) => {
  choices.of(world.accounts).keyLimits = {
    creditsPerDay: choices.of(LIMITS),
    creditsPerSecond: choices.of(LIMITS),
  };
};

const add: Step = (world, choices) =>
  world.add(choices.of(world.accounts), choices.of([1, 80, 500, 10_000]));

const STEPS: readonly Step[] = [
  ...[call, call, call, call, call, call, burst, burst, burst],
  ...[settle, settle, settleAll, proceed, proceed, proceed, pass, pass, pass, pass],
  ...[toMidnight, jump, mode, mode, crash, stop, change, changeKey, add],
];

/** Runs one schedule, and checks every invariant after every step. Rejects where one is broken. */
export async function runSchedule(
  first: number,
  steps: readonly number[],
  trace: (step: string) => void = () => undefined,
): Promise<void> {
  const choices = new Choices(first);
  const world = new Simulation(PLANS, [choices.of(PLAN_NAMES), choices.of(PLAN_NAMES)], {
    count: 1 + choices.upTo(3),
    isRemote: choices.upTo(2) === 0,
    keepsJournal: choices.upTo(2) === 0,
  });
  for (const number of steps) {
    const step = new Choices(number);
    const run = step.of(STEPS);
    trace(run.name);
    await run(world, step);
    await turn();
    await world.deliver();
    world.check();
  }
  await world.quiesce();
  world.setRight();
  await world.spendTheRest();
  await world.quiesce();
  world.check();
}
