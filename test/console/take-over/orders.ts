import { randomInt } from "node:crypto";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { startTestConsole } from "../support/test-console.ts";
import { makePasswordsCheap } from "./cheap-passwords.ts";
import { Scene, type SceneOptions, Violation } from "./scene.ts";
import { type Pick, STRANGERS_STEPS, type Steps } from "./strangers-steps.ts";
import { VICTIMS_STEPS } from "./victims-steps.ts";

const STEPS: Steps = { ...STRANGERS_STEPS, ...VICTIMS_STEPS };
const SHORTEST = 6;
const LONGEST = 14;
const USER = [
  ...["the victim is made a customer", "the victim signs up", "the victim opens a mail at home"],
];
/** What was done before the steps that are drawn by lot: few orders come as far. */
const BEFORE = [
  ...[[], ["the victim is made a customer"], USER],
  [...USER, "the victim turns on a second factor"],
];
/** One order alone waits for the console's writes. */
const AT_ONCE = 6;
/** A new console then: its mailbox is searched by each order. */
const OF_ONE_CONSOLE = 200;

makePasswordsCheap();

export type Found = { readonly seed: number; readonly text: string };

/** Of the orders with these seeds, what the first ones that break a rule did; empty where none does. */
export async function brokenOrders(seeds: readonly number[], most = 1): Promise<Found[]> {
  const found: Found[] = [];
  for (let first = 0; first < seeds.length && found.length < most; first += OF_ONE_CONSOLE) {
    const lot = seeds.slice(first, first + OF_ONE_CONSOLE);
    for (const signup of ["invite", "open"] as const) {
      const own = lot.filter((seed) => (seed % 2 === 0) === (signup === "open"));
      found.push(...(await brokenOf(own, signup, most)));
    }
  }
  return found.slice(0, most);
}

async function brokenOf(seeds: readonly number[], signup: SceneOptions["signup"], most: number) {
  const desk = await startTestConsole({ console: { signup } });
  const found: Found[] = [];
  const left = [...seeds];
  const work = async () => {
    while (found.length < most) {
      const seed = left.shift();
      if (seed === undefined) return;
      const text = await run(new Scene(desk, { signup, name: String(seed) }), seed);
      if (text !== undefined) found.push({ seed, text });
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await desk.stop();
  }
  return found;
}

/** What was done up to the rule that it broke; undefined where all rules hold. */
async function run(scene: Scene, seed: number): Promise<string | undefined> {
  const random = new SeededRandom(seed);
  const pick: Pick = (end) => random.int(0, end - 1);
  const names = Object.keys(STEPS);
  const done: string[] = [];
  await scene.desk.account(scene.strangersEmail);
  const take = async (name: string, pickOf = pick) => {
    done.push(name);
    // Limits by address are not what is looked at: everybody moves.
    for (const each of [scene.stranger, scene.home, scene.phone]) each.address = newAddress();
    await STEPS[name]?.(scene, pickOf);
    await scene.check();
  };
  try {
    for (const name of BEFORE[pick(BEFORE.length)] ?? []) await take(name, () => 0);
    for (let left = SHORTEST + pick(LONGEST - SHORTEST); left > 0; left -= 1) {
      await take(names[pick(names.length)] ?? "");
    }
    await scene.checkEnd();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return `seed ${seed}: ${error.message}, after: ${done.join("; ")}`;
  }
  return undefined;
}

const newAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
