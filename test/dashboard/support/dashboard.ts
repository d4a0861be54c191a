import { randomBytes } from "node:crypto";
import { newAccount } from "../../../src/access/new-account.ts";
import { newKey } from "../../../src/access/new-key.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { openStorage } from "../../../src/storage/open.ts";
import type { Account, ApiKey, Storage } from "../../../src/storage/store.ts";
import { Browser } from "../../console/support/browser.ts";
import { linkIn, type Mailbox, openMailbox } from "../../console/support/mailbox.ts";
import { PASSWORD, SECRET } from "../../console/support/test-console.ts";
import { freePort } from "../../support/free-port.ts";
import { type StandInNode, startStandInNode } from "../../support/stand-in-node.ts";
import { openWorkplace, type Started, type Workplace } from "../../support/started-gateway.ts";
import { recordKey } from "../../support/written.ts";
import { requirePages } from "./built-pages.ts";
import type { Visitor } from "./test-browser.ts";

export type Dashboard = {
  /** Of the pages. */
  readonly origin: string;
  readonly gateway: Started;
  readonly workplace: Workplace;
  readonly mailbox: Mailbox;
  /** Those of the network `mainnet`: `geth` and `erigon`. */
  readonly nodes: readonly [StandInNode, StandInNode];
  /** Of the network `solana`. */
  readonly slotNode: StandInNode;
  /** The gateway's store, as another process has it open. */
  readonly storage: Storage;
  readonly account: (email: string, over?: Partial<Account>) => Promise<Account>;
  /** A new key of the account; its text. */
  readonly key: (account: Account, over?: Partial<ApiKey>) => Promise<string>;
  /** Gives a visitor the session of that person, who signs up where nobody has. */
  readonly signIn: (visitor: Visitor, email: string) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Of every address. */
export const BALANCE = "0xde0b6b3a7640000";
export const SOME_ADDRESS = "0x00000000219ab540356cbb839cbe05303d7705fa";

export type DashboardOptions = {
  /** As in the configuration. */
  readonly plans?: object;
  /** The newest block of the network `mainnet`. */
  readonly head?: number;
};

/** `tollgate start` on a real configuration: gateway, dashboard, two networks, a mail server. */
export async function startDashboard(options: DashboardOptions = {}): Promise<Dashboard> {
  const { plans = {}, head = 16 } = options;
  await requirePages();
  const mailbox = await openMailbox();
  const reply: StandInNode["reply"] = ({ method }) => {
    if (method === "eth_getBalance") return { result: BALANCE };
    return { result: method === "web3_clientVersion" ? "Geth/v1.17.0" : null };
  };
  const nodes = [await startStandInNode(reply), await startStandInNode(reply)] as const;
  const slotNode = await startStandInNode();
  for (const node of nodes) node.head = head;
  const port = await freePort();
  const workplace = await openWorkplace({
    server: { port: 0, trustProxy: ["127.0.0.1"] },
    admin: { port: 0 },
    console: { port, signup: "open", secret: SECRET },
    mail: { url: mailbox.url, from: "tollgate@example.com" },
    storage: { url: "sqlite:./tollgate.db" },
    // So that each call reaches a node, where it can be counted.
    cache: { memoryBytes: 0 },
    requestLog: { path: "requests.jsonl" },
    plans,
    networks: networksOf(nodes, slotNode),
  });
  const gateway = await workplace.start();
  await gateway.process.says(/"msg":"dashboard serves"/);
  const storage = await openStorage({ url: `sqlite:${workplace.folder}/tollgate.db` });
  const origin = `http://localhost:${port}`;
  const found = { origin, gateway, workplace, mailbox, nodes, slotNode, storage };
  return {
    ...found,
    ...people(found),
    stop: async () => {
      await storage.close();
      gateway.process.kill("SIGTERM");
      await gateway.process.ended;
      await workplace.clear();
      await Promise.all([...nodes, slotNode].map((node) => node.stop()));
      await mailbox.close();
    },
  };
}

function networksOf([geth, erigon]: Dashboard["nodes"], slotNode: StandInNode): object[] {
  return [
    {
      name: "mainnet",
      family: "evm",
      chainId: 1,
      upstreams: [
        { name: "geth", url: geth.url },
        { name: "erigon", url: erigon.url },
      ],
    },
    { name: "solana", family: "slot", upstreams: [{ name: "agave", url: slotNode.url }] },
  ];
}

const PARTS = { clock: systemClock, random: randomBytes };

type Found = Pick<Dashboard, "origin" | "mailbox" | "storage">;

function people({
  origin,
  mailbox,
  storage,
}: Found): Pick<Dashboard, "account" | "key" | "signIn"> {
  const sessions = new Map<string, Browser>();
  const signUp = async (email: string) => {
    const person = new Browser(origin, origin);
    const name = (email.split("@")[0] ?? "").replace(/^./, (letter) => letter.toUpperCase());
    await person.post("/api/auth/sign-up/email", { name, email, password: PASSWORD });
    await person.get(linkIn(await mailbox.next(email)));
    return person;
  };
  return {
    account: async (email, over = {}) => {
      const made = { ...newAccount(PARTS, { email, plan: "free", operator: false }), ...over };
      await storage.accounts.insert(made);
      return made;
    },
    key: async ({ id: accountId }, over) => {
      const limits = { creditsPerDay: null, creditsPerSecond: null };
      const grant = { accountId, name: "backend", expiresAt: null, limits, allow: {} };
      const made = newKey(PARTS, grant);
      recordKey(made.text);
      await storage.keys.insert({ ...made.key, ...over });
      return made.text;
    },
    signIn: async ({ context }, email) => {
      const person = sessions.get(email) ?? (await signUp(email));
      sessions.set(email, person);
      const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: origin }));
      await context.addCookies(cookies);
    },
  };
}
