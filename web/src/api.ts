import { isOfProxy, reportAway } from "./reach.ts";

type Fault = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly field?: string | undefined;
};

/** What went wrong with a request, in words for people; `field` is the form's field it is about. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;

  constructor(what: Fault, options?: ErrorOptions) {
    super(what.message, options);
    this.name = "ApiError";
    this.status = what.status;
    this.code = what.code;
    this.field = what.field;
  }
}

/** Values of a query; undefined and the empty text leave the parameter out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

type Options = { readonly query?: Query; readonly signal?: AbortSignal };

/** The code of errors that no server of the dashboard has answered with. */
export const UNREACHABLE = "unreachable";

let signedOut: () => void = () => {};

/** Sets what happens when the server says that nobody is signed in any more. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener;
}

/** Tells the page that the session has ended. */
export function reportSignedOut(): void {
  signedOut();
}

/** The API's address of `path` (`/me`, `/accounts/…`), with its query. */
export function apiUrl(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return text === "" ? `/api${path}` : `/api${path}?${text}`;
}

/** The address of something of an account, such as `accountPath(id, "/keys")`. */
export function accountPath(account: string, rest = ""): string {
  return `/accounts/${encodeURIComponent(account)}${rest}`;
}

/** @throws ApiError with a text for people, whatever went wrong; an AbortError when `signal` says so */
export const api = {
  get: <T>(path: string, options: Options = {}) => send<T>("GET", path, options),
  post: <T>(path: string, body: unknown = {}) => send<T>("POST", path, { body }),
  put: <T>(path: string, body: unknown) => send<T>("PUT", path, { body }),
  patch: <T>(path: string, body: unknown) => send<T>("PATCH", path, { body }),
  remove: (path: string) => send<void>("DELETE", path, { body: {} }),
};

async function send<T>(
  method: string,
  path: string,
  options: Options & { readonly body?: unknown },
): Promise<T> {
  const response = await answered(method, path, options);
  return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
}

async function answered(
  method: string,
  path: string,
  { query, signal, body }: Options & { readonly body?: unknown },
): Promise<Response> {
  const response = await request(apiUrl(path, query), {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return response;
  if (response.status === 401) signedOut();
  const error = readError(response.status, await response.text());
  if (error.code === UNREACHABLE) reportAway();
  throw error;
}

export type ServerEvent = { readonly event: string; readonly data: string };

/** The server-sent events that are the answer to a request, until they end. @throws as `api` does */
export async function* postForEvents(
  path: string,
  body: unknown,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const { body: stream } = await answered("POST", path, { body, signal });
  const reader = stream?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    const events = (text + next.value).split("\n\n");
    text = events.pop() ?? "";
    for (const each of events) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(each) ?? [];
      if (event !== undefined && data !== undefined) yield { event, data };
    }
  }
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { credentials: "same-origin", ...init });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    reportAway();
    const message = "The dashboard did not respond. Check your connection, then try again.";
    throw new ApiError({ status: 0, code: UNREACHABLE, message }, { cause });
  }
}

/** Reads an error's body: the API's own form, or what stood before it (a proxy) sent. */
function readError(status: number, text: string): ApiError {
  const error = (parse(text) as { error?: { code?: string; message?: string; field?: string } })
    ?.error;
  return new ApiError({
    status,
    code: error?.code ?? (isOfProxy(status, error !== undefined) ? UNREACHABLE : "internal"),
    message:
      error?.message ?? `The dashboard responded with status ${status}. Try again in a moment.`,
    field: error?.field,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of whatever was thrown, for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
