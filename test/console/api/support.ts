import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import fastify, { type FastifyInstance, type LightMyRequestResponse } from "fastify";
import { createApiToken, displayPrefix, hashApiKey } from "../../../src/access/api-key.ts";
import { createId } from "../../../src/access/ids.ts";
import { newAccount } from "../../../src/access/new-account.ts";
import { type NewKey, newKey } from "../../../src/access/new-key.ts";
import { parseConfig } from "../../../src/config/load.ts";
import { registerApi } from "../../../src/console/api/api.ts";
import { handleErrors, noSuchRoute, sendProblem } from "../../../src/console/api/errors.ts";
import type { ApiParts } from "../../../src/console/api/parts.ts";
import { problemOf } from "../../../src/console/api/problem-of.ts";
import type { SessionUser } from "../../../src/console/auth/sessions.ts";
import { MOST_TOKENS } from "../../../src/console/contract/constants.ts";
import type { Mail } from "../../../src/console/mail/mailer.ts";
import { consoleSettings } from "../../../src/console/settings.ts";
import { type ApiToken, TOKEN_SCOPES } from "../../../src/storage/console-stores.ts";
import { openStorage } from "../../../src/storage/open.ts";
import type { Account, ApiKey, Storage } from "../../../src/storage/store.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { ADMIN_TOKEN } from "../../support/gateway.ts";
import { ON_POSTGRES, testStorage } from "../../support/test-storage.ts";
import { timed } from "../../support/timed.ts";
import { temporaryFolder } from "../../support/written.ts";

/** 2026-11-21, half a minute after 13:30 UTC. */
const NOON = Date.UTC(2026, 10, 21, 13, 30, 30);
export type StoreKind = "memory" | "sqlite" | "postgres";
export const STORES: readonly StoreKind[] = ON_POSTGRES ? ["postgres"] : ["memory", "sqlite"];

export const openTestStorage = async (kind: StoreKind): Promise<Storage> =>
  openStorage(
    await testStorage(
      kind === "memory" ? "memory:" : `sqlite:${join(temporaryFolder("api"), "t.db")}`,
    ),
  );

export type Asking = {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** One person (or nobody), who asks the API. */
export type Person = {
  readonly user: SessionUser | undefined;
  /** As the person's browser sends it. */
  readonly cookie: string;
  /** By which the person or program is known. */
  readonly headers: Readonly<Record<string, string>>;
  readonly ask: (method: string, url: string, asking?: Asking) => Promise<LightMyRequestResponse>;
  readonly get: (url: string) => Promise<LightMyRequestResponse>;
  readonly post: (url: string, body?: unknown) => Promise<LightMyRequestResponse>;
};

export type Rig = {
  readonly app: FastifyInstance;
  readonly parts: ApiParts;
  readonly storage: Storage;
  /** Moves both clocks of the console. */
  readonly wait: (ms: number) => void;
  /** What was sent. */
  readonly mails: Mail[];
  /** Every log line so far. */
  readonly log: () => string;
  readonly nobody: Person;
  readonly person: (email: string, over?: Partial<SessionUser>) => Person;
  /** The person's sessions end. */
  readonly signOut: (person: Person) => void;
  readonly account: (email: string, over?: Partial<Account>) => Promise<Account>;
  readonly member: (account: Account, email: string) => Promise<string>;
  readonly key: (account: Account, over?: Partial<ApiKey>) => Promise<NewKey>;
  /** With all scopes. */
  readonly token: (account: Account, over?: Partial<ApiToken>) => Promise<NewToken>;
  /** A program that has this token and no cookie. */
  readonly program: (token: string) => Person;
  readonly close: () => Promise<void>;
};

export type NewToken = { readonly text: string; readonly token: ApiToken };

export type RigOptions = {
  readonly store?: StoreKind;
  readonly storage?: Storage;
  readonly now?: number;
  /** As in the configuration. */
  readonly console?: object;
  readonly usage?: object;
  readonly server?: object;
  /** A file of its own, unless another one is named, or none (null). */
  readonly requestLog?: object | null;
  readonly gateway?: number;
  /** The admin port; undefined: not opened. */
  readonly admin?: number | undefined;
  readonly mail?: "works" | "fails" | "none";
};

const NETWORKS = [
  {
    name: "mainnet",
    family: "evm",
    chainId: 1,
    upstreams: [{ name: "geth", url: "http://127.0.0.1:1" }],
  },
  { name: "solana", family: "slot", upstreams: [{ name: "agave", url: "http://127.0.0.1:1" }] },
];

/** The API alone, with sessions that the test gives out. */
export async function openRig(options: RigOptions = {}): Promise<Rig> {
  const { store = "memory", now = NOON, gateway = 1, admin, mail = "works" } = options;
  const { requestLog = { path: join(temporaryFolder("api"), "requests.jsonl") } } = options;
  const config = parseConfig(
    JSON.stringify({
      admin: { port: 9545, token: ADMIN_TOKEN },
      mail: { url: "smtp://127.0.0.1:1", from: "tollgate@example.com" },
      console: { secret: "0123456789abcdefghijklmnopqrstuvwxyzABCDEF", ...options.console },
      usage: options.usage,
      server: options.server,
      requestLog: requestLog ?? undefined,
      networks: NETWORKS,
    }),
    { baseDir: process.cwd(), environment: {} },
  );
  const storage = options.storage ?? (await openTestStorage(store));
  let elapsed = 0;
  const mails: Mail[] = [];
  const send = async (one: Mail): Promise<void> => {
    if (mail === "fails") throw new Error("the mail server cannot be reached");
    mails.push(one);
  };
  const lines: string[] = [];
  const log = createLog({ level: "debug", terminal: false }, { write: (line) => lines.push(line) });
  const users = new Map<string, SessionUser>();
  const parts: ApiParts = {
    ...consoleSettings(config, { console: 7545, gateway, admin }),
    storage,
    mailer: mail === "none" ? undefined : { send, close: () => undefined },
    log,
    clock: timed({ now: () => now + elapsed, monotonic: () => 1000 + elapsed }),
    random: randomBytes,
    version: "0.0.0",
    clientOf: ({ ip, headers }) => ({ ip, agent: headers["user-agent"] ?? null }),
    sessions: {
      read: async (headers) => users.get(headers.get("cookie") ?? ""),
      hasPassword: async () => true,
    },
  };
  const app = fastify({
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    frameworkErrors: (error, _, reply) => void sendProblem(reply, problemOf(error)),
  });
  handleErrors(app, log);
  app.setNotFoundHandler((request, reply) => sendProblem(reply, noSuchRoute(request)));
  registerApi(app, parts);
  await app.ready();
  const asPerson = (
    user: SessionUser | undefined,
    cookie: string,
    authorization?: string,
  ): Person => {
    const own = { ...(cookie !== "" && { cookie }), ...(authorization && { authorization }) };
    const ask: Person["ask"] = (method, url, { body, headers } = {}) =>
      app.inject({
        method: method as "GET",
        url,
        headers: {
          "user-agent": "test/1",
          ...(body !== undefined && { "content-type": "application/json" }),
          ...own,
          ...headers,
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      });
    return {
      ...{ user, cookie, headers: own, ask },
      get: (url) => ask("GET", url),
      post: (url, body = {}) => ask("POST", url, { body }),
    };
  };
  return {
    ...{ app, parts, storage, mails },
    wait: (ms) => {
      elapsed += ms;
    },
    log: () => lines.join(""),
    nobody: asPerson(undefined, ""),
    person: (email, over) => {
      const id = createId("mem", randomBytes);
      const user = { id, email, name: "A person", emailVerified: true, twoFactor: false, ...over };
      users.set(`session=${id}`, user);
      return asPerson(user, `session=${id}`);
    },
    program: (token) => asPerson(undefined, "", `Bearer ${token}`),
    signOut: ({ cookie }) => void users.delete(cookie),
    ...people(parts),
    close: async () => {
      await app.close();
      if (options.storage === undefined) await storage.close();
    },
  };
}

function people(parts: ApiParts): Pick<Rig, "account" | "member" | "key" | "token"> {
  const { storage, clock, random } = parts;
  return {
    account: async (email, over) => {
      const made = { ...newAccount(parts, { email, plan: "free", operator: false }), ...over };
      await storage.accounts.insert(made);
      return made;
    },
    member: async ({ id: accountId, email: addedBy }, email) => {
      const id = createId("mem", random);
      await storage.members.add({ id, accountId, email, addedAt: clock.now(), addedBy });
      return id;
    },
    key: async ({ id: accountId }, over) => {
      const limits = { creditsPerDay: null, creditsPerSecond: null };
      const grant = { accountId, name: "backend", expiresAt: null, limits, allow: {} };
      const made = newKey(parts, grant);
      const key = { ...made.key, ...over };
      await storage.keys.insert(key);
      return { ...made, key };
    },
    token: async ({ id: accountId, email: createdBy }, over) => {
      const text = createApiToken(random);
      const token: ApiToken = {
        ...{ id: createId("tok", random), accountId, name: "terraform", hash: hashApiKey(text) },
        ...{ prefix: displayPrefix(text), scopes: TOKEN_SCOPES, createdAt: clock.now(), createdBy },
        ...{ expiresAt: null, lastUsedAt: null, ...over },
      };
      await storage.tokens.insert(token, MOST_TOKENS);
      return { text, token };
    },
  };
}

/** An open stream's text, as it comes. */
export async function* textOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}

export type LocalServer = {
  readonly port: number;
  readonly url: string;
  readonly stop: () => Promise<void>;
};

/** A server on a free port, in place of something that the console calls. */
export async function startServer(handler: RequestListener): Promise<LocalServer> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
