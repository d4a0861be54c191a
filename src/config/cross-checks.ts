import type { Path } from "./faults.ts";
import { at, items } from "./issues.ts";
import { isBuiltIn } from "./plans.ts";
import type { Finding } from "./source.ts";

/**
 * The faults that no key shows alone. These checks look at the file as it was written, so
 * that they are reported beside the faults of single keys; what has the wrong type is passed over.
 */
export function crossChecks(root: unknown): Finding[] {
  const networks = items(root, ["networks"]);
  const hosts = networks.flatMap((path) => items(root, [...path, "hosts"]));
  const names = networks.map((path) => [...path, "name"]);
  return [
    ...repeated(root, names, { what: "the name of a network" }),
    ...repeated(root, hosts, { what: "a host of a network", keyOf: hostKey }),
    ...networks.flatMap((path) => networkChecks(root, path)),
    ...listenerChecks(root),
    ...adminChecks(root),
    ...planChecks(root),
    ...consoleChecks(root),
  ];
}

function networkChecks(root: unknown, path: Path): Finding[] {
  const upstreams = items(root, [...path, "upstreams"]);
  const names = upstreams.map((upstream) => [...upstream, "name"]);
  const findings = repeated(root, names, { what: "the name of an upstream here" });
  for (const upstream of upstreams) {
    if (at(root, [...upstream, "tls"]) === undefined || isSecure(root, upstream)) continue;
    const message = "means nothing here: neither url is https nor ws is wss";
    findings.push({ path: [...upstream, "tls"], message });
  }
  const primaries = upstreams.filter((each) => at(root, [...each, "role"]) !== "partner").length;
  const confirmations = at(root, [...path, "confirmations"]);
  if (upstreams.length > 0 && typeof confirmations === "number" && confirmations > primaries) {
    const message = `is more than the network's ${primaries} primary upstreams; no head could be reached`;
    findings.push({ path: [...path, "confirmations"], message });
  }
  return findings;
}

function isSecure(root: unknown, upstream: Path): boolean {
  const urls = ["url", "ws"].map((name) => at(root, [...upstream, name]));
  return urls.some((url) => typeof url === "string" && /^(https|wss):/i.test(url));
}

/** Two listeners on one port: the second would fail at the start, in words of the system. */
function listenerChecks(root: unknown): Finding[] {
  const defaults = { server: 8545, admin: 9545, console: 7545 };
  const taken = new Map<string, string>();
  const findings: Finding[] = [];
  for (const [section, fallback] of Object.entries(defaults)) {
    if (section !== "server" && at(root, [section]) === undefined) continue;
    const port = at(root, [section, "port"]) ?? fallback;
    const host = at(root, [section, "host"]) ?? "127.0.0.1";
    if (typeof host !== "string" || typeof port !== "number") continue;
    const where = `${host} ${port}`;
    const other = taken.get(where);
    if (other !== undefined && port !== 0) {
      const message = `is the port of ${other} too; choose another`;
      findings.push({ path: [section, "port"], message });
    }
    taken.set(where, section);
  }
  return findings;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/i;

/** The admin port shows everything and can take upstreams out of service. */
function adminChecks(root: unknown): Finding[] {
  const host = at(root, ["admin", "host"]) ?? "127.0.0.1";
  const isKept = typeof host !== "string" || host === "" || LOOPBACK.test(host);
  if (isKept || at(root, ["admin", "token"]) !== undefined) return [];
  const message =
    "is missing; admin.host is no loopback address, so requests need a token, as `openssl rand -hex 32` gives";
  return [{ path: ["admin", "token"], message }];
}

function planChecks(root: unknown): Finding[] {
  const findings: Finding[] = [];
  const plans = at(root, ["plans"]);
  const named = typeof plans === "object" && plans !== null ? Object.keys(plans) : [];
  for (const name of named.filter((each) => !isBuiltIn(each))) {
    for (const figure of ["dailyCredits", "creditsPerSecond"]) {
      const path = ["plans", name, figure];
      if (at(root, path) !== undefined) continue;
      findings.push({ path, message: "is missing; a plan that is not built in needs it" });
    }
  }
  const signup = at(root, ["console", "signupPlan"]);
  if (typeof signup === "string" && !isBuiltIn(signup) && !named.includes(signup)) {
    const message = "is no plan; name a built-in one or one of plans";
    findings.push({ path: ["console", "signupPlan"], message });
  }
  return findings;
}

/** 256 bits as hex are 64 characters, as base64 43: whatever is shorter than this is guessable. */
const SECRET_MIN_LENGTH = 32;

/** The keys without which the dashboard cannot be opened. */
function consoleChecks(root: unknown): Finding[] {
  const path = ["console"];
  const section = at(root, path);
  if (typeof section !== "object" || section === null) return [];
  const findings: Finding[] = [];
  const secret = at(section, ["secret"]);
  const how = `at least ${SECRET_MIN_LENGTH} random characters are needed, as \`openssl rand -base64 32\` gives`;
  if (secret === undefined) {
    findings.push({ path: [...path, "secret"], message: `is missing; ${how}` });
  } else if (typeof secret === "string" && secret !== "" && secret.length < SECRET_MIN_LENGTH) {
    findings.push({ path: [...path, "secret"], message: `is too short; ${how}` });
  }
  const signup = at(section, ["signup"]) ?? "invite";
  if ((signup === "open" || signup === "invite") && at(root, ["mail"]) === undefined) {
    const message = `is ${signup}, which sends mail: add mail, or write closed`;
    findings.push({ path: [...path, "signup"], message });
  }
  const publicUrl = at(section, ["publicUrl"]);
  if (typeof publicUrl === "string" && /^https?:\/\/[^/]+\/+[^/]/i.test(publicUrl)) {
    const message = "holds a path; the dashboard stands at the root of its host";
    findings.push({ path: [...path, "publicUrl"], message });
  }
  return findings;
}

type Repetition = { readonly what: string; readonly keyOf?: (text: string) => string };

const hostKey = (host: string): string => host.toLowerCase().replace(/\.$/, "");

function repeated(root: unknown, paths: readonly Path[], repetition: Repetition): Finding[] {
  const { what, keyOf = (text: string): string => text } = repetition;
  const seen = new Set<string>();
  const findings: Finding[] = [];
  for (const path of paths) {
    const value = at(root, path);
    if (typeof value !== "string") continue;
    const key = keyOf(value);
    if (seen.has(key)) findings.push({ path, message: `is ${what} already; choose another` });
    seen.add(key);
  }
  return findings;
}
