import { rememberLast } from "../lib/remember-last.ts";
import type { AllowKind, AllowLists } from "../storage/store.ts";
import { type IpRange, isInRange, parseIp, parseIpRange } from "./ip-ranges.ts";
import { compileMethodPatterns, fitsMethod, type MethodPatterns } from "./method-patterns.ts";
import { fitsOrigin, parseOriginPattern } from "./origins.ts";

/** A key's allow-lists, ready to be asked; undefined: this kind restricts nothing. */
export type AllowPolicy = {
  readonly networks: ReadonlySet<string> | undefined;
  readonly methods: MethodPatterns | undefined;
  readonly contracts: ReadonlySet<string> | undefined;
  /** Whether an Origin header's value fits; and whether an address lies within. */
  readonly origins: ((origin: string) => boolean) | undefined;
  readonly ips: ((ip: string) => boolean) | undefined;
  readonly agents: readonly string[] | undefined;
};

/** The facts of an HTTP request or an upgrade before its body. */
export type RequestFacts = {
  readonly network: string;
  /** The Origin header. */
  readonly origin: string | undefined;
  /** The client's address, behind the proxies that are trusted. */
  readonly ip: string | undefined;
  /** The User-Agent header. */
  readonly agent: string | undefined;
};

/**
 * Undefined where the key has no lists, so that nearly every call pays one comparison. An entry
 * that cannot be read (parseAllowEntry let it pass in another version) fits nothing, and its kind
 * still restricts.
 */
export function compileAllowLists(lists: AllowLists): AllowPolicy | undefined {
  const listed = (kind: AllowKind): readonly string[] | undefined =>
    lists[kind]?.length ? lists[kind] : undefined;
  const methods = listed("method");
  const origins = listed("origin")?.flatMap((entry) => parseOriginPattern(entry) ?? []);
  const ips = listed("ip")?.flatMap((entry) => parseIpRange(entry) ?? []);
  const policy: AllowPolicy = {
    networks: asSet(listed("network")),
    methods: methods && compileMethodPatterns(methods),
    contracts: asSet(listed("contract")),
    origins: origins && rememberLast((origin) => fitsOrigin(origins, origin)),
    ips: ips && rememberLast((ip) => isWithin(ips, ip)),
    agents: listed("agent"),
  };
  return Object.values(policy).every((list) => list === undefined) ? undefined : policy;
}

/** The first kind that forbids the request as a whole; undefined where none does. */
export function checkRequest(policy: AllowPolicy, request: RequestFacts): AllowKind | undefined {
  const { networks, origins, ips, agents } = policy;
  const { network, origin, ip, agent } = request;
  if (networks !== undefined && !networks.has(network)) return "network";
  if (origins !== undefined && (origin === undefined || !origins(origin))) return "origin";
  if (ips !== undefined && (ip === undefined || !ips(ip))) return "ip";
  if (agents !== undefined && !agents.some((part) => agent?.includes(part))) return "agent";
  return undefined;
}

/**
 * The kind that forbids one call; undefined where none does. `contracts` are those that the call
 * names, in lower case; undefined for a method that names none, which `contract` does not
 * restrict; empty for a call that names none though its method could, which is refused.
 */
export function checkCall(
  policy: AllowPolicy,
  method: string,
  contracts: readonly string[] | undefined,
): "method" | "contract" | undefined {
  if (policy.methods !== undefined && !fitsMethod(policy.methods, method)) return "method";
  const allowed = policy.contracts;
  if (allowed === undefined || contracts === undefined) return undefined;
  const all = contracts.length > 0 && contracts.every((contract) => allowed.has(contract));
  return all ? undefined : "contract";
}

/**
 * The value of Access-Control-Allow-Origin: `*` where the key lists no origins, else the request's
 * own where it is listed. Undefined: no such header, so that no page of that origin reads the answer.
 */
export function corsOrigin(
  policy: Pick<AllowPolicy, "origins"> | undefined,
  origin: string | undefined,
): string | undefined {
  const origins = policy?.origins;
  if (origins === undefined) return "*";
  return origin !== undefined && origins(origin) ? origin : undefined;
}

function asSet(entries: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return entries && new Set(entries);
}

function isWithin(ranges: readonly IpRange[], text: string): boolean {
  const ip = parseIp(text);
  return ip !== undefined && ranges.some((range) => isInRange(ip, range));
}
