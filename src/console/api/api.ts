import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { auditEntry } from "../../access/audit-entry.ts";
import type { Actor } from "../../storage/console-stores.ts";
import { EventStreams } from "../live/event-streams.ts";
import { type Asked, type Caller, checkAccess } from "./access.ts";
import { apiRoutes } from "./api-routes.ts";
import type { ApiParts } from "./parts.ts";
import { Problem } from "./problem.ts";
import type { Attachment, BoundRoute, ChangeNote, EventSource } from "./route.ts";

type Server = { readonly parts: ApiParts; readonly streams: EventStreams };

type Exchange = {
  readonly route: BoundRoute;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
};

/**
 * Serves every route of the table, and its OpenAPI document. Streams end before the server does.
 * The refusal of pages of other origins and the answers to errors stand around it.
 */
export function registerApi(app: FastifyInstance, parts: ApiParts): void {
  const server: Server = { parts, streams: new EventStreams(parts.clock) };
  for (const route of apiRoutes(parts)) registerRoute(app, route, server);
  app.addHook("preClose", async () => server.streams.closeAll());
}

function registerRoute(app: FastifyInstance, route: BoundRoute, server: Server): void {
  const { contract } = route;
  const callers = new WeakMap<FastifyRequest, Caller>();
  app.route({
    method: contract.method,
    url: contract.url,
    // Before the body is read: nobody learns of its faults who may not send one.
    onRequest: async (request) => {
      callers.set(request, await checkAccess(server.parts, contract, asked(request)));
    },
    handler: async (request, reply) => {
      const caller = callers.get(request);
      if (caller === undefined) throw new Error("a request came to its handler without a check");
      return answer({ route, request, reply, caller }, server);
    },
  });
}

async function answer(exchange: Exchange, server: Server): Promise<FastifyReply> {
  const { route, request, reply, caller } = exchange;
  const { contract } = route;
  const notes: ChangeNote[] = [];
  const input = {
    ...caller,
    params: read(contract.params, request.params, "params"),
    query: read(contract.query, request.query, "query"),
    body: read(contract.body, request.body, "body"),
    note: (change: ChangeNote) => void notes.push(change),
  };
  let result: unknown;
  try {
    result = await route.handle(input as never);
  } finally {
    // Also where a later step failed: what was changed was changed.
    for (const note of notes) await writeDown(note, exchange, server.parts);
  }
  if (contract.stream === "events") return stream(result as EventSource, exchange, server);
  if (contract.stream === "file") return sendFile(reply, result as Attachment);
  return reply.code(contract.status).send(contract.reply.parse(result));
}

/** @throws Problem that names the first fault */
function read(schema: z.ZodType | undefined, value: unknown, place: string): unknown {
  if (schema === undefined) return undefined;
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const field = [place, ...(issue?.path ?? [])].join(".");
  const message = `${field}: ${issue?.message ?? "is not as it should be"}`;
  throw new Problem("bad_request", message, { field });
}

/** A session needs only the cookie of the headers. */
function asked(request: FastifyRequest): Asked {
  const { cookie, authorization } = request.headers;
  const headers = new Headers(cookie === undefined ? {} : { cookie });
  const { account } = request.params as { readonly account?: string };
  return { headers, authorization, account };
}

/** The change is made already: that it could not be written down is for the log, not the person. */
async function writeDown(
  { action, target, detail = {}, accountId }: ChangeNote,
  { request, caller }: Exchange,
  parts: ApiParts,
): Promise<void> {
  const { user, token } = caller;
  const actor: Actor = token
    ? { kind: "token", email: token.createdBy }
    : { kind: "user", email: user?.email ?? null };
  const entry = auditEntry(parts, {
    accountId: accountId ?? caller.account?.id ?? null,
    ...{ actor, action, target },
    detail: { ...detail, ...(token && { token: token.id }) },
    ...parts.clientOf(request),
  });
  try {
    await parts.storage.audit.append(entry);
  } catch (error) {
    parts.log.error({ action, target, cause: String(error) }, "the audit log cannot be written");
  }
}

function stream(source: EventSource, exchange: Exchange, server: Server): FastifyReply {
  const { route, request, reply, caller } = exchange;
  server.streams.run(reply, source, {
    reader: caller.user?.id ?? caller.token?.id ?? "",
    recheck: () => checkAccess(server.parts, route.contract, asked(request)),
  });
  return reply;
}

function sendFile(reply: FastifyReply, { fileName, type, chunks }: Attachment): FastifyReply {
  return reply
    .header("Content-Type", type)
    .header("Content-Disposition", `attachment; filename="${fileName}"`)
    .send(Readable.from(chunks));
}
