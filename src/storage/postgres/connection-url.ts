import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { StorageError } from "../store.ts";

/** What storage.url says of a PostgreSQL server. */
export type PostgresAddress = {
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  /** False: in clear. */
  readonly ssl: false | ConnectionOptions;
  readonly connectTimeoutMs: number;
  /** For people: host, port and database, without user and password. */
  readonly name: string;
};

const PORT = 5432;
/** A connection that was begun while nothing came through must not hold up whoever waits for long. */
const CONNECT_TIMEOUT_S = 2;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]", "::1"];
const PARAMETERS = ["sslmode", "sslrootcert", "connect_timeout", "host"];
const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];

const EXAMPLE = "postgres://USER@HOST:5432/DATABASE?sslmode=verify-full";

/** @throws StorageError that says what is wrong; it holds nothing of the URL but names of parameters and modes */
export function postgresAddress(url: string): PostgresAddress {
  const parsed = URL.parse(url);
  if (parsed === null) throw fault(`can't be read as a URL; write it as ${EXAMPLE}`);
  const { searchParams } = parsed;
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) {
    throw fault(`has the unknown parameter "${unknown}"; known are ${PARAMETERS.join(", ")}`);
  }
  const host = searchParams.get("host") ?? parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  const database = decoded(parsed.pathname.slice(1));
  const user = decoded(parsed.username);
  for (const [what, value] of Object.entries({ host, user, database })) {
    if (value === "") throw fault(`names no ${what}; write it as ${EXAMPLE}`);
  }
  const port = parsed.port === "" ? PORT : Number(parsed.port);
  const shown = host.includes(":") ? `[${host}]` : host;
  return {
    ...{ host, port, user, database },
    password: parsed.password === "" ? undefined : decoded(parsed.password),
    ssl: sslOf(host, searchParams),
    connectTimeoutMs: connectTimeout(searchParams.get("connect_timeout")),
    name: `postgres://${shown}:${port}/${database}`,
  };
}

const fault = (text: string, cause?: unknown) =>
  new StorageError(`storage.url: ${text}`, cause === undefined ? {} : { cause });

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw fault("has a % that encodes nothing; write a % itself as %25", cause);
  }
}

function connectTimeout(seconds: string | null): number {
  const value = seconds === null ? CONNECT_TIMEOUT_S : Number(seconds);
  if (Number.isInteger(value) && value > 0) return value * 1000;
  throw fault("connect_timeout is no number of seconds; write it as connect_timeout=5");
}

function sslOf(host: string, parameters: URLSearchParams): false | ConnectionOptions {
  const isLocal = LOOPBACK.includes(host) || host.startsWith("/");
  const mode = parameters.get("sslmode") ?? (isLocal ? "disable" : "verify-full");
  if (!isSslMode(mode)) {
    throw fault(`sslmode "${mode}" is not known; it is one of ${SSL_MODES.join(", ")}`);
  }
  if (mode === "disable") return false;
  const file = parameters.get("sslrootcert");
  if (file === null && mode === "verify-ca") {
    throw fault("sslmode=verify-ca needs sslrootcert, the PEM file of the CA");
  }
  const ca = file === null ? {} : { ca: readCa(file) };
  const servername = isIP(host) === 0 ? { servername: host } : {};
  // As libpq has it: with a CA, `require` checks the certificate, though not its name.
  const checked = mode === "verify-full" || file !== null;
  const anyName = mode === "verify-full" ? {} : { checkServerIdentity: () => undefined };
  return { ...ca, ...servername, ...anyName, rejectUnauthorized: checked };
}

const isSslMode = (mode: string): mode is SslMode =>
  (SSL_MODES as readonly string[]).includes(mode);

function readCa(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw fault("the file of sslrootcert can't be read; a PEM file is needed", cause);
  }
}
