import { Choices, plan, type Step } from "./schedules.ts";
import { DAY_MS } from "./simulated-process.ts";
import { Simulation, turn } from "./simulation.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A day that is spent at once, and one that takes a while. */
const PLANS = { quick: plan(2000, 20_000), slow: plan(20_000, 20_000) };
const JUMPS_DAYS = [1, -1, 2, 400, -400, 30, 7];
const BESIDES_MS = [0, 0, 0, 5 * HOUR_MS, -7 * HOUR_MS, 4 * MINUTE_MS];
const BEFORE_MIDNIGHT_MS = [1000, 5 * MINUTE_MS, 15 * MINUTE_MS];
const SLEEPS_MS = [11 * MINUTE_MS, HOUR_MS, 8 * HOUR_MS, 24 * HOUR_MS];

/** One process of all, or all: machines have a clock each, and a machine may run several. */
const whose = (world: Simulation, choices: Choices) =>
  choices.upTo(4) === 0 ? choices.of(world.processes) : undefined;

const spend: Step = (world, choices) => {
  const process = choices.of(world.processes);
  const account = choices.of(world.accounts);
  const most = choices.of([1, 3, 30]);
  const credits = choices.of([80, 300, 900]);
  const limitedKey = choices.upTo(4) === 0;
  for (let each = 0; each < most; each += 1) world.call(process, account, { credits, limitedKey });
};

const jump: Step = (world, choices) => {
  const process = whose(world, choices);
  world.jump(choices.of(JUMPS_DAYS) * DAY_MS + choices.of(BESIDES_MS), process);
};

const jumpNearMidnight: Step = (world, choices) => {
  const now = world.processes[0]?.now ?? 0;
  const midnight = (Math.floor(now / DAY_MS) + choices.of([1, 2, 60])) * DAY_MS;
  world.jump(midnight - choices.of(BEFORE_MIDNIGHT_MS) - now);
};

const setRight: Step = (world) => world.setRight();

const sleep: Step = (world, choices) => world.sleep(choices.of(SLEEPS_MS));

const sleepOverMidnight: Step = (world, choices) => {
  const now = choices.of(world.processes).now;
  return world.sleep(DAY_MS - (now % DAY_MS) + choices.of([0, 500, HOUR_MS]));
};

const pass: Step = (world, choices) => world.pass(choices.of([300, 1500, 3000]));

const restart: Step = async (world, choices) => {
  await world.crash(choices.of(world.processes), true);
  world.start();
};

const add: Step = (world, choices) => world.add(choices.of(world.accounts), choices.of([80, 500]));

/** Within a minute of the clocks being right, what is left of the real day can be spent. */
const checkRight: Step = async (world) => {
  world.setRight();
  await world.pass(1000);
  await world.spendTheRest();
};

const STEPS: readonly Step[] = [
  ...[spend, spend, spend, spend, spend, spend, jump, jump, jump, jumpNearMidnight, setRight],
  ...[sleep, sleepOverMidnight, pass, pass, restart, add, checkRight],
];

/** Runs a schedule of clocks that are set, and checks every invariant after every step. */
export async function runClockSchedule(first: number, numbers: readonly number[]): Promise<void> {
  const choices = new Choices(first);
  const world = new Simulation(PLANS, ["quick", "slow"], {
    count: choices.of([1, 1, 2, 3]),
    isRemote: choices.upTo(2) === 0,
  });
  for (const account of world.accounts) {
    account.keyLimits = { creditsPerDay: choices.of([null, 900]), creditsPerSecond: null };
  }
  // Half of them start while the clock is wrong.
  if (choices.upTo(2) === 0) {
    world.jump(choices.of(JUMPS_DAYS) * DAY_MS + choices.of(BESIDES_MS));
    for (const process of [...world.processes]) {
      await world.crash(process, true);
      world.start();
    }
  }
  for (const number of numbers) {
    const step = new Choices(number);
    await step.of(STEPS)(world, step);
    await turn();
    await world.deliver();
    for (const process of world.processes) {
      while (process.calls.length > 0) world.settle(process, 0, true);
    }
    world.check();
  }
  await checkRight(world, choices);
  await world.quiesce();
  world.check();
}
