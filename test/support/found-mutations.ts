import { afterAll, beforeAll, expect, test } from "vitest";
import { MutatedCheckout, type Mutation } from "./mutations.ts";

export type MutationRun = {
  readonly mutations: readonly Mutation[];
  /** Folders that the program needs. */
  readonly parts: readonly string[];
  /** Prints the first of so many seeds, from 1 on, that fails; nothing where none does. */
  readonly program: string;
  readonly most: number;
  /** What a seed makes, for the tests' names. */
  readonly what: string;
};

/** Tests which hold that each fault is found within so many seeds, and that the code as it is has none. */
export function expectFound({ mutations, parts, program, most, what }: MutationRun): void {
  let checkout: MutatedCheckout;
  beforeAll(async () => {
    checkout = await MutatedCheckout.copy(parts);
  });
  afterAll(() => checkout?.remove());
  const firstFailing = async () => {
    const found = await checkout.run(program, String(most));
    return found === "" ? Number.POSITIVE_INFINITY : Number(found);
  };
  test(`${what} find no fault in the code as it is`, async () => {
    expect(await firstFailing()).toBe(Number.POSITIVE_INFINITY);
  });
  test.each(mutations)(`within ${most} ${what} it is found that $name`, async (mutation) => {
    await checkout.runWith(mutation, async () => {
      expect(await firstFailing()).toBeLessThanOrEqual(most);
    });
  });
}
