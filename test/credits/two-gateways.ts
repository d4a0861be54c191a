import { randomBytes } from "node:crypto";
import { createAccount } from "../../src/commands/accounts/accounts.ts";
import { createKey } from "../../src/commands/accounts/keys.ts";
import { mergePlans } from "../../src/config/plans.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { dayOf } from "../../src/lib/day.ts";
import { openStorage } from "../../src/storage/open.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { inFolder, testStorage } from "../support/test-storage.ts";
import { recordKey } from "../support/written.ts";
import { type CountingNode, startCountingNode } from "./calls.ts";

export type Figures = { readonly dailyCredits: number; readonly creditsPerSecond: number };

export type Customer = {
  readonly email: string;
  readonly key: string;
  readonly keyId: string;
  /** Of today, as the database has it now. */
  readonly used: () => Promise<number>;
};

export type Usage = {
  readonly limit: number;
  readonly used: number;
  readonly left: number;
  readonly calls: readonly { readonly calls: number; readonly credits: number }[];
};

type Port = number | Promise<number>;

export type TwoGateways = {
  readonly node: CountingNode;
  readonly workplace: Workplace;
  /** Processes on one database, each on a port of its own. */
  readonly gateways: [Started, Started];
  /** Where the clients of each find it. */
  readonly ports: [Port, Port];
  /** An account on one of the plans, and a key of it. */
  readonly customer: (plan: string) => Promise<Customer>;
  /** What `tollgate usage --json` prints. */
  readonly usage: (customer: Pick<Customer, "email">) => Promise<Usage>;
  readonly stop: () => Promise<void>;
};

export async function startTwoGateways(plans: Record<string, Figures>): Promise<TwoGateways> {
  const node = await startCountingNode();
  const upstreams = [{ name: "node", url: node.url }];
  const settings = await testStorage("sqlite:./tollgate.db");
  const workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    storage: settings,
    plans,
    networks: [{ name: "node", family: "evm", chainId: 1, upstreams }],
  });
  const stopAll = async () => {
    await workplace.clear();
    await node.stop();
  };
  const starting = [workplace.start(), workplace.start()] as const;
  const gateways = await Promise.all(starting).catch(async (error: unknown) => {
    await stopAll();
    throw error;
  });
  const storage = await openStorage(inFolder(settings, workplace.folder));
  const parts = { storage, plans: mergePlans(plans), clock: systemClock, random: randomBytes };
  let customers = 0;
  return {
    node,
    workplace,
    gateways,
    ports: [gateways[0].port, gateways[1].port],
    customer: async (plan) => {
      customers += 1;
      const email = `customer-${customers}@example.com`;
      const account = await createAccount(parts, { email, plan, operator: false });
      const { id: owner } = account.json as { id: string };
      const { json } = await createKey(parts, { account: email, name: "test" });
      const { id: keyId, key } = json as { id: string; key: string };
      recordKey(key);
      const used = async () => (await storage.ledger.read(owner, dayOf(Date.now()))).used;
      return { email, key, keyId, used };
    },
    usage: async ({ email }) => (await workplace.json("usage", "--account", email)) as Usage,
    stop: async () => {
      await storage.close();
      await stopAll();
    },
  };
}
