import { describe, expect, test } from "vitest";
import type { PartnerStore, PartnerTake, Storage } from "../../src/storage/store.ts";

const DAY_MS = 86_400_000;
const at = (text: string): number => Date.parse(`${text}Z`);
const EVENING = at("2028-02-28T23:59:59.999");

export const partnerTake = (over: Partial<PartnerTake> = {}): PartnerTake => ({
  network: "mainnet",
  now: EVENING,
  calls: 1,
  caps: {},
  ...over,
});

/** What an adapter owes of the partner calls: they are counted, and no cap is ever passed. */
export function partnerContract(storage: () => Storage): void {
  const taken = async (over: Partial<PartnerTake>): Promise<number> =>
    storage().partners.take(partnerTake(over));
  const counted = async (now = EVENING, network = "mainnet"): ReturnType<PartnerStore["read"]> =>
    storage().partners.read(network, now);

  test("calls without a cap are counted all the same, each network for itself", async () => {
    expect(await counted()).toEqual({ day: 0, month: 0 });
    expect(await taken({ calls: 7 })).toBe(7);
    expect(await taken({ calls: 2 })).toBe(2);
    expect(await taken({ network: "gnosis" })).toBe(1);
    expect(await counted()).toEqual({ day: 9, month: 9 });
    expect(await counted(EVENING, "gnosis")).toEqual({ day: 1, month: 1 });
  });

  test.each([
    ["day", { day: 5 }],
    ["month", { month: 5 }],
    ["lower of both", { day: 5, month: 6 }],
    ["lower of both", { day: 6, month: 5 }],
  ])(
    "the cap of the %s is kept to the call, and what is refused is not counted",
    async (_, caps) => {
      expect(await taken({ calls: 3, caps })).toBe(3);
      expect(await taken({ calls: 3, caps })).toBe(2);
      expect(await taken({ calls: 3, caps })).toBe(0);
      expect(await counted()).toEqual({ day: 5, month: 5 });
    },
  );

  test("a cap of 0 allows nothing, one that was lowered nothing more", async () => {
    expect(await taken({ caps: { day: 0 } })).toBe(0);
    expect(await taken({ caps: { month: 0 } })).toBe(0);
    expect(await taken({ calls: 10 })).toBe(10);
    expect(await taken({ caps: { day: 4 } })).toBe(0);
    expect(await taken({ caps: { month: 4 } })).toBe(0);
    expect(await taken({ caps: { day: 11 } })).toBe(1);
    expect(await counted()).toEqual({ day: 11, month: 11 });
  });

  test("a day ends at midnight UTC, a month with its last day, in a leap year too", async () => {
    const caps = { day: 2, month: 3 };
    expect(await taken({ calls: 5, caps })).toBe(2);
    expect(await taken({ calls: 5, caps, now: EVENING + 1 })).toBe(1);
    expect(await counted(EVENING + 1)).toEqual({ day: 1, month: 3 });
    expect(await taken({ caps, now: EVENING + DAY_MS })).toBe(0);
    expect(await taken({ calls: 5, caps, now: EVENING + DAY_MS + 1 })).toBe(2);
    expect(await counted(at("2028-03-31T12:00"))).toEqual({ day: 0, month: 2 });
    expect(await counted(at("2028-02-01T00:00"))).toEqual({ day: 0, month: 3 });
    expect(await counted(at("2027-12-31T23:59"))).toEqual({ day: 0, month: 0 });
  });

  test("a clock that goes back within a month finds the month's later calls counted", async () => {
    const caps = { month: 5 };
    expect(await taken({ calls: 4, caps })).toBe(4);
    expect(await taken({ calls: 4, caps, now: EVENING - 3 * DAY_MS })).toBe(1);
  });

  describe("asked by many at once", () => {
    test("all that is allowed is the cap, and all of it", async () => {
      const caps = { day: 100, month: 90 };
      const asked = Array.from({ length: 60 }, (_, n) => taken({ calls: 1 + (n % 3), caps }));
      const allowed = (await Promise.all(asked)).reduce((sum, each) => sum + each, 0);
      expect(allowed).toBe(90);
      expect(await counted()).toEqual({ day: 90, month: 90 });
    });
  });
}
