import { StorageError } from "../store.ts";

/** SQLSTATEs (postgresql.org/docs/current/errcodes-appendix.html), or their classes, and what to do. */
const FAULTS: Readonly<Record<string, string>> = Object.freeze({
  "28": "refuses the user or the password of storage.url",
  "3D000": "is not there: create it",
  "42501": "does not let its user do that: grant it the database, or its schema",
  "53100": "cannot grow: the server's disk is full",
  "53300": "takes no more connections: lower storage.poolSize, or raise max_connections",
  "53": "has run out of resources",
  "57P03": "does not accept connections at this moment",
  "57P01": "is being stopped",
  "57P02": "has crashed, and is being started again",
  "25006": "cannot be written: the server is a standby",
  "08": "has lost the connection",
});

const NOT_REACHED: readonly string[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "ENOENT",
];

/** Rolled back for the sake of another transaction: to be carried out again. */
export function isToRepeat(error: unknown): boolean {
  return ["40001", "40P01"].includes(codeOf(error) ?? "");
}

/**
 * Whether the server said that the statement failed. Otherwise nobody knows what became of it: the
 * connection was lost, or a session was ended that may have committed.
 */
export function isRefusal(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !/^(08|57P|XX)/.test(state);
}

/** Whether the server cannot be talked to at this moment, so that waiting may help. */
export function isAway(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || /^(08|57P|53)/.test(state);
}

/** With a text for people, which holds neither statement nor values. `name`: of the database. */
export function storageError(
  error: unknown,
  name: string,
  { isOutcomeUnknown = false } = {},
): StorageError {
  if (error instanceof StorageError) return error;
  const options = { cause: error, isOutcomeUnknown };
  return new StorageError(`the database ${name} ${reasonOf(error)}`, options);
}

function reasonOf(error: unknown): string {
  const state = sqlState(error);
  if (state !== undefined) {
    const known = FAULTS[state] ?? FAULTS[state.slice(0, 2)];
    return known ?? `failed: ${textOf(error)} (SQLSTATE ${state})`;
  }
  const code = codeOf(error);
  if (code !== undefined && NOT_REACHED.includes(code)) return `cannot be reached: ${code}`;
  return `has lost the connection: ${textOf(error)}`;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Undefined where it is no error of the server. */
function sqlState(error: unknown): string | undefined {
  const code = codeOf(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && "severity" in (error as Error)
    ? code
    : undefined;
}
