import { test } from "vitest";
import { chaos } from "./chaos.ts";
import { expectKept } from "./chaos-outcome.ts";

test("eight gateways, 200 clients, 100 kills of gateways and 20 of the database: never overspent, and no more lost than was open", async () => {
  const size = { gateways: 8, clients: 200, gatewayKills: 100, databaseKills: 20 };
  expectKept(await chaos({ ...size, seed: 2 }));
});
