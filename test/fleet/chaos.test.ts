import { test } from "vitest";
import { chaos } from "./chaos.ts";
import { expectKept } from "./chaos-outcome.ts";

test("three gateways, of which six are killed, and a database that is killed twice, behind a network that loses what it likes: never overspent, and no more lost than was open", async () => {
  const size = { gateways: 3, clients: 20, gatewayKills: 6, databaseKills: 2 };
  expectKept(await chaos({ ...size, seed: 1 }));
}, 120_000);
