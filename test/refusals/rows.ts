import { strangeKey } from "../support/gateway.ts";
import { type Grant, type Granted, RESET_SECONDS, type Rig, UNANSWERED } from "./rig.ts";

export type Sent = { readonly method: string; readonly params: readonly unknown[] };

/** A call, and what it costs where it is served. */
const A = `0x${"a".repeat(40)}`;
const B = `0x${"b".repeat(40)}`;
const balanceOf = (address: string): Sent => ({
  method: "eth_getBalance",
  params: [address, "latest"],
});
export const CHAIN_ID: Sent = { method: "eth_chainId", params: [] };
const BALANCE = balanceOf(A);

/** What one refusal is, towards the client. */
type Refusal = {
  readonly name: string;
  readonly status: number;
  /** The error object to the letter, keys in this order. */
  readonly error: object;
  /** Whole seconds; absent: no such header. */
  readonly retryAfter?: number;
};

/** A request that is refused before its body is read: the key, or what it allows, forbids it. */
export type WholeRow = Refusal & {
  /** The key; by default a new one of this grant. */
  readonly key?: string | ((rig: Rig) => string);
  readonly grant?: Grant | ((rig: Rig) => Grant);
  readonly headers?: Record<string, string>;
  /** Before the request; returns what undoes it. */
  readonly prepare?: (rig: Rig) => () => void;
  /** Whose credits the headers tell; absent: there are none. */
  readonly metered?: boolean;
  /** Access-Control-Allow-Origin. */
  readonly cors?: string | undefined;
};

/** A call that is refused, or one of a batch. */
export type CallRow = Refusal & {
  readonly grant: Grant;
  /** Sent and served before, one by one. */
  readonly spent?: readonly Sent[];
  readonly prepare?: (rig: Rig, granted: Granted) => () => void;
  readonly refused: Sent;
  /** A call that is served all the same, and its price. */
  readonly fits: Sent;
  readonly price: number;
  /** Credits of the second that a refused call takes: those of a call that was under way. */
  readonly loads?: number;
  /** The code that the WebSocket is closed with after the answer. */
  readonly closes?: number;
};

const unauthorized = {
  status: 401,
  error: { code: 401, event: -33001, message: "Unauthorized", details: "invalid API key" },
};
const forbidden = (details: string) => ({
  status: 403,
  error: { code: 403, event: -33100, message: "Forbidden", details },
});
const unavailable = (message: string, details?: string) => ({
  status: 503,
  error: { code: -32603, message, ...(details === undefined ? {} : { details }) },
  retryAfter: 1,
});
const tooMany = (event: number, details: string, retryAfter: number) => ({
  status: 429,
  error: { code: 429, event, message: "Too Many Requests", details },
  retryAfter,
});

const breaks =
  (store: "keys" | "ledger") =>
  ({ stores }: Rig) => {
    stores.broken.set(store, "the database is gone");
    return () => void stores.broken.delete(store);
  };

export const WHOLE_ROWS: readonly WholeRow[] = [
  { name: "401: a missing key", ...unauthorized, key: "" },
  { name: "401: a malformed key", ...unauthorized, key: "tg_6nothing" },
  { name: "401: an unknown key", ...unauthorized, key: () => strangeKey() },
  { name: "401: a revoked key", ...unauthorized, grant: { revoked: true } },
  {
    name: "401: an expired key",
    ...unauthorized,
    grant: ({ clock }) => ({ expiresAt: clock.now() }),
  },
  {
    name: "403: a suspended account",
    ...forbidden("account suspended"),
    grant: { suspended: true },
    metered: true,
  },
  {
    name: "403: a network that is not listed",
    ...forbidden("the key is not allowed on this network"),
    grant: { allow: { network: ["other"] } },
    metered: true,
  },
  {
    name: "403: an origin that is not listed",
    ...forbidden("the key is not allowed from this origin"),
    grant: { allow: { origin: ["https://*.example.com"] } },
    headers: { origin: "https://example.org" },
    metered: true,
    cors: undefined,
  },
  {
    name: "403: no origin where origins are listed",
    ...forbidden("the key is not allowed from this origin"),
    grant: { allow: { origin: ["https://*.example.com"] } },
    metered: true,
    cors: undefined,
  },
  {
    name: "403: an address that is not listed",
    ...forbidden("the key is not allowed from this IP address"),
    grant: { allow: { ip: ["10.0.0.0/8", "::/0"] } },
    // Nobody's header counts where server.trustProxy names nobody.
    headers: { "x-forwarded-for": "10.1.2.3" },
    metered: true,
  },
  {
    name: "403: a user agent that is not listed",
    ...forbidden("the key is not allowed with this user agent"),
    grant: { allow: { agent: ["my-app/2"] } },
    headers: { "user-agent": "my-app/1" },
    metered: true,
  },
  {
    name: "403: one kind of list that does not fit, of several",
    ...forbidden("the key is not allowed with this user agent"),
    grant: { allow: { network: ["net"], ip: ["127.0.0.1"], agent: ["my-app"] } },
    metered: true,
  },
  {
    name: "503: the store of keys is down, and the key not known yet",
    ...unavailable("API keys cannot be checked at the moment"),
    prepare: breaks("keys"),
  },
];

export const CALL_ROWS: readonly CallRow[] = [
  {
    name: "403: a method that is not listed",
    ...forbidden("the key is not allowed to call this method"),
    grant: { allow: { method: ["eth_chain*"] } },
    refused: BALANCE,
    fits: CHAIN_ID,
    price: 5,
  },
  {
    name: "403: a contract that is not listed",
    ...forbidden("the key is not allowed to call this contract"),
    grant: { allow: { contract: [A] } },
    refused: { method: "eth_call", params: [{ to: B }, "latest"] },
    fits: balanceOf(A),
    price: 80,
  },
  {
    name: "402: the account's day",
    status: 402,
    error: {
      code: 402,
      event: -33000,
      message: "Payment Required",
      details: "the account's credits of the day are used up; they return at 00:00 UTC",
    },
    grant: { plan: "brief" },
    spent: [BALANCE],
    refused: BALANCE,
    fits: CHAIN_ID,
    price: 5,
    closes: 4402,
  },
  {
    name: "429: the account's throughput",
    loads: 0,
    ...tooMany(
      -33200,
      "the account's credits per second are used up; send fewer calls per second",
      1,
    ),
    grant: { plan: "slow" },
    spent: [BALANCE],
    refused: BALANCE,
    fits: CHAIN_ID,
    price: 5,
  },
  {
    name: "429: the key's own throughput",
    loads: 0,
    ...tooMany(
      -33300,
      "the key's own credits per second are used up; send fewer calls per second",
      1,
    ),
    grant: { keyLimits: { creditsPerSecond: 90 } },
    spent: [BALANCE],
    refused: BALANCE,
    fits: CHAIN_ID,
    price: 5,
  },
  {
    name: "429: the key's own day",
    ...tooMany(
      -33400,
      "the key's own credits of the day are used up; they return at 00:00 UTC",
      RESET_SECONDS,
    ),
    grant: { keyLimits: { creditsPerDay: 90 } },
    spent: [BALANCE],
    refused: BALANCE,
    fits: CHAIN_ID,
    price: 5,
  },
  {
    name: "503: no upstream answers",
    ...unavailable("no upstream could answer"),
    grant: {},
    refused: { method: UNANSWERED, params: [A, "latest"] },
    fits: CHAIN_ID,
    price: 5,
    loads: 80,
  },
  {
    name: "503: the store of the ledger is down, and the credits at hand do not suffice",
    loads: 0,
    ...unavailable(
      "credits cannot be counted at the moment",
      "the call was not charged; try again",
    ),
    grant: { plan: "leased" },
    // Brings a lease of 80 credits, which the account goes on with.
    spent: [CHAIN_ID],
    prepare: breaks("ledger"),
    refused: BALANCE,
    fits: CHAIN_ID,
    price: 5,
  },
];
