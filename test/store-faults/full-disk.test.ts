import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openMemory } from "../../src/storage/memory.ts";
import { delivery } from "../support/alert-contract.ts";
import { auditEntry } from "../support/audit-contract.ts";
import { storedFilter } from "../support/filter-contract.ts";
import { fleetProcess } from "../support/fleet-contract.ts";
import { latenciesAt } from "../support/latencies-at.ts";
import { givenBack, takeRequest } from "../support/ledger-contract.ts";
import { partnerTake } from "../support/partner-contract.ts";
import { account, apiKey } from "../support/records.ts";
import { smallDisk } from "../support/small-disk.ts";
import { type StorageProcess, startStorage } from "../support/storage-process.ts";
import { apiToken } from "../support/token-contract.ts";
import { bucket } from "../support/usage-contract.ts";

const DISK_BYTES = 1 << 20;
const { day, now } = takeRequest();
const at = delivery().nextAt ?? 0;
const nodeMinute = () => ({
  ...{ network: "mainnet", upstream: "geth", minute: 29_000_000, calls: 3, failed: 1, lag: 2 },
  latencies: latenciesAt(5, 3),
});
const settings = { accountId: "acc_1", thresholds: [75], emails: [], webhook: null };
const member = (id: string) => ({
  ...{ id, accountId: "acc_1", email: `${id}@example.com`, addedAt: 1, addedBy: "ada@example.com" },
});

/** What stands in the file before the disk is full, so that each write below would change something. */
const BEFORE: readonly (readonly [store: string, method: string, ...args: unknown[]])[] = [
  ["accounts", "insert", account()],
  ["accounts", "insert", account({ id: "acc_2", email: "b@example.com" })],
  ["keys", "insert", apiKey()],
  ["members", "add", member("mem_1")],
  ["tokens", "insert", apiToken(), 9],
  ["ledger", "take", takeRequest()],
  ["partners", "take", partnerTake()],
  ["usage", "record", [bucket()], []],
  ["alerts", "claim", { accountId: "acc_1", day, threshold: 75 }, [delivery()]],
  ["fleet", "tell", fleetProcess(), now],
  ["filters", "insert", storedFilter(), 9, now],
  ["nodes", "record", [nodeMinute()], 0],
];

/** One call of each method that writes. */
const WRITES: typeof BEFORE = [
  ["accounts", "insert", account({ id: "acc_3", email: "c@example.com" })],
  ["accounts", "update", "acc_1", { plan: "growth" }],
  ["accounts", "delete", "acc_2"],
  ["keys", "insert", apiKey({ id: "key_2" })],
  ["keys", "revoke", "key_1", 5_000],
  ["keys", "update", "key_1", { name: "desktop" }],
  ["keys", "recordUse", [{ id: "key_1", at: 5_000 }]],
  ["ledger", "take", takeRequest()],
  ["ledger", "giveBack", givenBack(1)],
  ["ledger", "repair", ["acc_1"], day - 1],
  ["ledger", "add", "acc_1", day, 1_000],
  ["ledger", "check"],
  ["usage", "record", [bucket()], []],
  ["usage", "prune", { minute: now, hour: now, day: now }],
  ["partners", "take", partnerTake()],
  ["members", "add", member("mem_2")],
  ["members", "remove", "acc_1", "mem_1"],
  ["tokens", "insert", apiToken({ id: "tok_2", hash: "another" }), 9],
  ["tokens", "recordUse", "tok_1", 5_000],
  ["tokens", "remove", "acc_1", "tok_1"],
  ["audit", "append", auditEntry()],
  ["alerts", "write", settings],
  ["alerts", "claim", { accountId: "acc_1", day, threshold: 90 }, []],
  ["alerts", "due", { now: at, limit: 9, holdMs: 30_000 }],
  ["fleet", "tell", fleetProcess({ leases: 4 }), now],
  ["fleet", "leave", "one"],
  ["fleet", "setDrained", { network: "mainnet", upstream: "node-a" }, true],
  ["fleet", "tellLoss", now],
  ["fleet", "forgetLoss"],
  ["filters", "insert", storedFilter({ id: "0x02" }), 9, now],
  ["filters", "move", { id: "0x01", from: "5.aa", to: "6.bb", move: "m" }, now],
  ["filters", "remove", "0x01", "key_1", now],
  ["nodes", "record", [nodeMinute()], 0],
  ["alerts", "settle", "del_1", { state: "sent", attempts: 1, nextAt: null, lastError: null }],
];
const READS = [
  ...["accounts.findByEmail", "accounts.findById", "accounts.list", "accounts.page"],
  ...["keys.findByHash", "keys.findById", "keys.list", "ledger.read", "changes.since"],
  ...["usage.query", "usage.series", "usage.totals", "usage.topAccounts", "usage.topContracts"],
  ...["partners.read"],
  ...["members.list", "members.ofEmail", "audit.page", "alerts.read", "alerts.list", "alerts.page"],
  ...["fleet.list", "fleet.drained", "fleet.lossFound", "filters.find"],
  ...["tokens.findByHash", "tokens.list", "usage.latencies", "nodes.history"],
];

test("each method of the store is among those that are tried on a full disk, or only reads", () => {
  const { close: _, isGone: __, traffic: ___, ...stores } = openMemory();
  const all = Object.entries(stores).flatMap(([store, methods]) =>
    Object.keys(methods).map((method) => `${store}.${method}`),
  );
  const writes = new Set(WRITES.map(([store, method]) => `${store}.${method}`));
  expect([...writes, ...READS].sort()).toEqual(all.sort());
});

describe.each([
  ["carried out in the main thread", 600_000],
  ["carried out in the storage's thread", 0],
])("a full disk, %s:", (_place, threadAfterMs) => {
  let child: StorageProcess;
  afterEach(() => child?.end());

  test("each write rejects and has changed nothing, and succeeds once there is room", async () => {
    const disk = smallDisk(DISK_BYTES);
    const path = join(disk.folder, "tollgate.db");
    child = await startStorage({ path, threadAfterMs, command: disk.command });
    for (const [store, method, ...args] of BEFORE) await child.call(store, method, ...args);
    const before = await child.call("dump", "");
    disk.fill(child.pid);
    const taken: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      for (const [store, method, ...args] of WRITES) {
        const outcome = await child.call(store, method, ...args).then(
          (value) => `${store}.${method} gave ${JSON.stringify(value)}`,
          (error: Error) => error.message,
        );
        if (!/^StorageError: the database .* (cannot grow|cannot be)/.test(outcome))
          taken.push(outcome);
      }
    }
    disk.makeRoom(child.pid);
    expect(taken).toEqual([]);
    expect(await child.call("dump", "")).toBe(before);
    for (const [store, method, ...args] of WRITES) await child.call(store, method, ...args);
    expect(await child.call("dump", "")).not.toBe(before);
  });
});
