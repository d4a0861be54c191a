import { quoted } from "../postgres/statement.ts";

/** What a copy takes along, in an order in which what a row refers to is there before it. */
export type CopiedTable = {
  readonly name: string;
  /** The primary key, or what stands for it: rows are copied in its order. */
  readonly key: readonly string[];
  /** Columns whose sums are compared at the end. */
  readonly sums: readonly string[];
  /** Of better-auth, in a file of its own with SQLite. */
  readonly isOfUsers?: true;
  /** The key is given by the database. */
  readonly isNumbered?: true;
};

const USAGE_KEY = ["account_id", "at", "key_id", "network", "method", "outcome"];
const USAGE_SUMS = ["calls", "credits", "bytes"];
const OF_USERS = { key: ["id"], sums: [], isOfUsers: true } as const;

/** All but the feed of changes, clients' filters, the list of processes and what they lost: they are for those that run. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  { name: "accounts", key: ["id"], sums: ["credits_per_day", "credits_per_second"] },
  { name: "keys", key: ["id"], sums: ["credits_per_day", "credits_per_second"] },
  { name: "ledger", key: ["owner", "day"], sums: ["used", "added"] },
  { name: "ledger_processes", key: ["owner", "process", "day"], sums: ["granted", "returned"] },
  { name: "partner_calls", key: ["network", "day"], sums: ["calls"] },
  { name: "members", key: ["id"], sums: [] },
  { name: "api_tokens", key: ["id"], sums: [] },
  { name: "audit", key: ["seq"], sums: [], isNumbered: true },
  { name: "alert_settings", key: ["account_id"], sums: [] },
  { name: "alerts", key: ["account_id", "day", "threshold"], sums: [] },
  { name: "alert_deliveries", key: ["seq"], sums: ["attempts"], isNumbered: true },
  { name: "usage_minutes", key: USAGE_KEY, sums: USAGE_SUMS },
  { name: "usage_hours", key: USAGE_KEY, sums: USAGE_SUMS },
  { name: "usage_days", key: USAGE_KEY, sums: USAGE_SUMS },
  {
    name: "usage_hour_sums",
    key: USAGE_KEY.filter((column) => column !== "key_id"),
    sums: USAGE_SUMS,
  },
  { name: "usage_batches", key: ["process"], sums: ["number"] },
  { name: "contract_minutes", key: ["account_id", "at", "network", "contract"], sums: ["calls"] },
  { name: "node_minutes", key: ["network", "upstream", "at"], sums: ["calls", "failed"] },
  { name: "drained_upstreams", key: ["network", "upstream"], sums: [] },
  { name: "user", ...OF_USERS },
  { name: "session", ...OF_USERS },
  { name: "account", ...OF_USERS },
  { name: "verification", ...OF_USERS },
  { name: "twoFactor", ...OF_USERS },
  { name: "passkey", ...OF_USERS },
  { name: "attempts", key: ["name"], sums: ["count"], isOfUsers: true },
];

/** Names of columns as both databases take them. */
export const columnList = (names: readonly string[]): string => names.map(quoted).join(", ");
