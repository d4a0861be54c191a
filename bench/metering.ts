/**
 * `node bench/metering.ts [--calls 400000] [--json FILE]`
 *
 * What metering costs: the same calls through the pipeline in this process, once with keys,
 * allow-lists, throughput, ledger, usage and credit headers, once with none of them. CPU
 * microseconds per call, medians of nine rounds in turn. And the statements that reach the store in
 * a second, at two rates of calls: they grow with time, not with calls.
 */

import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type AllowPolicy, compileAllowLists } from "../src/access/allow-lists.ts";
import { Authenticator, type Identity } from "../src/access/authenticator.ts";
import { ClientAddress } from "../src/access/client-address.ts";
import { UnknownKeys } from "../src/access/unknown-keys.ts";
import { createAccount } from "../src/commands/accounts/accounts.ts";
import { createKey } from "../src/commands/accounts/keys.ts";
import { DEFAULT_WIRE } from "../src/config/default-wire.ts";
import { creditHeaders } from "../src/credits/credit-headers.ts";
import { Ledger } from "../src/credits/ledger.ts";
import { systemScheduler } from "../src/credits/scheduler.ts";
import { AddressBook } from "../src/gateway/fronts/address.ts";
import { Reception } from "../src/gateway/fronts/reception.ts";
import { answerMessage } from "../src/gateway/messages.ts";
import { Pipeline, type PipelineParts } from "../src/gateway/pipeline.ts";
import { prepareProcess } from "../src/lib/own-process.ts";
import type { Network } from "../src/networks/network.ts";
import { openStorage } from "../src/storage/open.ts";
import type { Storage } from "../src/storage/store.ts";
import { CallLog, createLog } from "../src/telemetry/log.ts";
import { UsageRecorder } from "../src/usage/usage-recorder.ts";
import { EventLoop } from "../src/wire/event-loop.ts";
import type { RequestHead } from "../src/wire/server/request-head.ts";
import { someHolding } from "../test/support/holding.ts";
import { noFilters } from "../test/support/no-filters.ts";
import { stubNetwork } from "../test/support/stub-network.ts";
import { median } from "./histogram.ts";

// As the program does it.
prepareProcess();

const ROUNDS = 9;
const SLOW_CALLS_PER_SECOND = 1000;
const STEADY_SECONDS = 3;
/** Of a call with all of it to one without: how long either takes is the machine's. */
const TARGET_RATIO = 1.65;
const PLAN = { dailyCredits: 1e12, creditsPerSecond: 1e9, failover: false };
const EMAIL = "bench@example.com";
const LISTS = {
  network: ["bench"],
  method: ["eth_*"],
  origin: ["https://*.example.com"],
  ip: ["127.0.0.0/8"],
  agent: ["bench"],
};
const HEAD = {
  transport: "http",
  requestId: "bench",
  target: "",
  host: "127.0.0.1",
  origin: "https://app.example.com",
  agent: "bench/1",
  peer: "127.0.0.1",
  forwardedFor: undefined,
} as unknown as RequestHead;
/** An eth_call, so that the contracts are counted too; the node answers at once. */
const BODY = Buffer.from(
  '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"from":"0x00000000219ab540356cbb839cbe05303d7705fa","to":"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48","data":"0x70a08231"},"latest"]}',
);

/** As the gateway itself, whose clock stands still while an event is dealt with. */
const loop = new EventLoop(DEFAULT_WIRE);
const { clock, clientReads: turns } = loop;
const callLog = new CallLog(createLog({ level: "silent", terminal: false }), clock);
const usageOf = async () => "{}";

type Subject = { readonly call: () => void; readonly stop: () => Promise<void> };

const { values } = parseArgs({
  options: { calls: { type: "string", default: "400000" }, json: { type: "string" } },
});
const calls = Number(values.calls);
if (!Number.isSafeInteger(calls) || calls < 1) throw new Error("--calls takes a whole number");

const statements = { count: 0 };
const storage = counted(await openStorage({ url: "memory:" }), statements);
const bare = bareSubject();
const metered = await meteredSubject(storage);
const cost = { bare: [] as number[], metered: [] as number[] };
// The first round is the compiler's.
for (let round = 0; round <= ROUNDS; round += 1) {
  const figures = { bare: await cpuUsPerCall(bare), metered: await cpuUsPerCall(metered) };
  if (round === 0) continue;
  cost.bare.push(figures.bare);
  cost.metered.push(figures.metered);
}
const slow = await steady(metered, SLOW_CALLS_PER_SECOND);
const fast = await steady(metered, SLOW_CALLS_PER_SECOND * 50);
await metered.stop();
await storage.close();

const [without = 0, withAll = 0] = [median(cost.bare) ?? 0, median(cost.metered) ?? 0];
const adds = withAll - without;
const ratios = cost.metered.map((us, round) => us / (cost.bare[round] ?? 0));
const ratio = median(ratios) ?? 0;
process.stdout.write(
  `${[
    `a call without metering     ${without.toFixed(2)} us`,
    `with all of it              ${withAll.toFixed(2)} us`,
    `metering adds               ${adds.toFixed(2)} us`,
    `with / without              ${ratio.toFixed(2)}   <= ${TARGET_RATIO} ${ratio <= TARGET_RATIO ? "met" : "missed"}`,
    `statements a second         ${slow.statements.toFixed(1)} at ${slow.calls} calls/s, ${fast.statements.toFixed(1)} at ${fast.calls} calls/s`,
  ].join("\n")}\n`,
);
if (values.json !== undefined) {
  const figures = { calls, withoutUs: without, withUs: withAll, addsUs: adds, slow, fast };
  await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
}

async function cpuUsPerCall({ call }: Subject): Promise<number> {
  const before = process.cpuUsage();
  for (let left = calls; left > 0; left -= 1000) {
    // Each call comes with a read of its own.
    for (let n = Math.min(left, 1000); n > 0; n -= 1) clock.atOneMoment(call);
    // Leases, usage and timers have their turn, as between the requests of a server.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** Calls in even portions of 20 ms for some seconds, and what reached the store meanwhile. */
async function steady(
  { call }: Subject,
  perSecond: number,
): Promise<{ calls: number; statements: number }> {
  const begun = performance.now();
  const before = statements.count;
  let made = 0;
  for (let now = begun; now < begun + STEADY_SECONDS * 1000; now = performance.now()) {
    for (; made < ((now - begun) / 1000) * perSecond; made += 1) clock.atOneMoment(call);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const seconds = (performance.now() - begun) / 1000;
  return {
    calls: Math.round(made / seconds),
    statements: (statements.count - before) / seconds,
  };
}

/** The store with its statements counted, those of every process's polling included. */
function counted(store: Storage, counter: { count: number }): Storage {
  const part = <Part extends object>(methods: Part): Part =>
    new Proxy(methods, {
      get: (target, name, receiver) => {
        counter.count += 1;
        return Reflect.get(target, name, receiver);
      },
    });
  const { accounts, keys, ledger, usage, partners, changes } = store;
  return {
    ...store,
    accounts: part(accounts),
    keys: part(keys),
    ledger: part(ledger),
    usage: part(usage),
    partners: part(partners),
    changes: part(changes),
  };
}

function networkOf(): Network {
  const result = `"0x${"0".repeat(64)}"`;
  return stubNetwork("bench", () => result);
}

function bareSubject(): Subject {
  const limits = { creditsPerDay: null, creditsPerSecond: null };
  const allow: AllowPolicy | undefined = undefined;
  const identity: Identity = {
    keyId: "key",
    accountId: "acc",
    email: EMAIL,
    plan: "bench",
    operator: false,
    suspended: false,
    accountLimits: limits,
    keyLimits: limits,
    allow,
  };
  const reservation = {} as Extract<ReturnType<Ledger["admit"]>, object>;
  const nothing = () => undefined;
  const pipeline = new Pipeline({
    clock,
    log: callLog,
    ledger: { admit: () => reservation, draw: nothing, settle: nothing } as PipelineParts["ledger"],
    usage: { record: nothing, contract: nothing },
    usageOf,
    filters: noFilters,
    mayFailOver: () => false,
  });
  const parts = {
    holding: someHolding(),
    pipeline,
    turns,
    session: { network: networkOf(), identity, requestId: "bench" },
  };
  return { call: () => void answerMessage(BODY, parts, nothing), stop: async () => undefined };
}

async function meteredSubject(store: Storage): Promise<Subject> {
  const fail = (cause: unknown) => {
    throw new Error("a store in memory failed", { cause });
  };
  const key = await keyOf(store);
  const authenticator = new Authenticator(
    { memoryBytes: 1_000_000 },
    { storage: store, clock, onStoreFailure: fail },
  );
  await authenticator.start();
  const ledger = new Ledger(
    { plans: { bench: PLAN }, process: "bench" },
    { store: store.ledger, scheduler: systemScheduler, onStoreFailure: fail },
  );
  ledger.start();
  const usage = new UsageRecorder(
    { keep: { minutes: 3_600_000, hours: 3_600_000, days: 3_600_000 }, process: "bench" },
    { store: store.usage, clock, onStoreFailure: fail, onLost: fail },
  );
  usage.start();
  const unknownKeys = new UnknownKeys(clock);
  const reception = new Reception({
    unknownKeys,
    addresses: new AddressBook([]),
    authenticator,
    clientAddress: new ClientAddress([]),
  });
  const pipeline = new Pipeline({
    clock,
    log: callLog,
    ledger,
    usage,
    usageOf,
    filters: noFilters,
    mayFailOver: () => false,
  });
  const address = { network: networkOf(), key };
  await reception.identify(address, HEAD);
  const holding = someHolding();
  const call = () => {
    const session = reception.identify(address, HEAD);
    if (session instanceof Promise || "name" in session) throw new Error("the key is not known");
    answerMessage(BODY, { session, pipeline, turns, holding }, ({ charged }) => {
      creditHeaders(charged, ledger.balance(session.identity));
    });
  };
  const stop = async () => {
    await ledger.stop();
    await usage.stop();
    await authenticator.stop();
  };
  return { call, stop };
}

async function keyOf(store: Storage): Promise<string> {
  const parts = {
    storage: store,
    plans: { bench: PLAN },
    clock,
    random: randomBytes,
  };
  await createAccount(parts, { email: EMAIL, plan: "bench", operator: false });
  const { json } = await createKey(parts, { account: EMAIL, name: "bench" });
  const { id, key } = json as { id: string; key: string };
  if (compileAllowLists(LISTS) === undefined) throw new Error("no lists");
  await store.keys.update(id, { allow: LISTS });
  return key;
}
