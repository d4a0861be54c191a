import { expect, test } from "vitest";
import { parseConfig } from "../config/load.ts";
import type { PartnerLimits } from "../storage/store.ts";
import { LowestCaps } from "./lowest-caps.ts";
import { type Marks, marksOf } from "./marks.ts";

const upstreams = [
  { name: "own", url: "http://127.0.0.1:1" },
  { name: "paid", url: "http://127.0.0.1:2", role: "partner" },
];

function marksWith(partnerCaps: PartnerLimits | undefined): Marks {
  const network = { name: "mainnet", family: "evm", chainId: 1, upstreams };
  const file = { networks: [{ ...network, ...(partnerCaps && { partnerCaps }) }] };
  return marksOf(parseConfig(JSON.stringify(file), { baseDir: "/", environment: {} }));
}

test("of files that differ the lowest caps hold, the day's and the month's each for itself", () => {
  const caps = new LowestCaps();
  const own = { day: 100, month: 1000 };
  expect(caps.of("mainnet", own)).toEqual(own);
  caps.follow([marksWith(own), marksWith({ day: 10 }), marksWith({ month: 500 })]);
  expect(caps.of("mainnet", own)).toEqual({ day: 10, month: 500 });
  expect(caps.of("mainnet", { day: 5 })).toEqual({ day: 5, month: 500 });
  expect(caps.of("sepolia", own)).toEqual(own);
});

test("a file without caps lowers none, and one that has gone does not hold any longer", () => {
  const caps = new LowestCaps();
  caps.follow([marksWith(undefined), marksWith({ day: 10 })]);
  expect(caps.of("mainnet", {})).toEqual({ day: 10, month: undefined });
  caps.follow([marksWith(undefined)]);
  expect(caps.of("mainnet", {})).toEqual({ day: undefined, month: undefined });
});
