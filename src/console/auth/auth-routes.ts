import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { codeOf, Problem } from "../api/problem.ts";
import type { ClientReader } from "../settings.ts";
import type { Auth } from "./auth.ts";
import { CLIENT_ADDRESS_HEADER } from "./client-header.ts";

const PREFIX = "/api/auth";

/** The paths of better-auth that the pages use; the rest of it is not reachable. */
const PATHS: readonly RegExp[] = [
  /^\/(sign-up|sign-in)\/email$/,
  /^\/sign-in\/magic-link$/,
  /^\/magic-link\/verify$/,
  /^\/(get-session|sign-out|update-user)$/,
  /^\/(list-sessions|revoke-session|revoke-sessions|revoke-other-sessions)$/,
  /^\/(request-password-reset|reset-password|change-password|set-first-password)$/,
  /^\/(verify-email|confirm-sign-up)$/,
  /^\/two-factor\/(enable|disable|get-totp-uri|verify-totp|verify-backup-code|generate-backup-codes)$/,
  /^\/passkey\/(generate-register-options|verify-registration)$/,
  /^\/passkey\/(generate-authenticate-options|verify-authentication)$/,
  /^\/passkey\/(list-user-passkeys|delete-passkey|update-passkey)$/,
];

/** Where no mail can be sent: an answer of success would be a lie. */
const MAIL_PATH = "/sign-in/magic-link";

export type AuthRouteParts = {
  readonly sendsMail: boolean;
  readonly clientOf: ClientReader;
  readonly auth: Pick<Auth, "handle">;
  readonly publicUrl: string;
};

/** Hands what stands under /api/auth to better-auth, as a web request, and its answer back. */
export function registerAuth(app: FastifyInstance, parts: AuthRouteParts): void {
  void app.register((scope, _, registered) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("application/json", { parseAs: "string" }, (_, body, done) =>
      done(null, body),
    );
    scope.route({
      method: ["GET", "POST"],
      url: `${PREFIX}/*`,
      handler: async (request, reply) => {
        const url = new URL(request.url, parts.publicUrl);
        const path = url.pathname.slice(PREFIX.length);
        const served = PATHS.some((known) => known.test(path));
        if (!served || (path === MAIL_PATH && !parts.sendsMail)) {
          throw new Problem("not_found", `there is no ${request.method} ${PREFIX}${path}`);
        }
        return answer(reply, await parts.auth.handle(webRequest(request, url, parts)));
      },
    });
    registered();
  });
}

function webRequest(request: FastifyRequest, url: URL, parts: AuthRouteParts): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === "string") headers.set(name, value);
  }
  headers.set(CLIENT_ADDRESS_HEADER, parts.clientOf(request).ip);
  const { method, body } = request;
  // Only reads, and what the guard has found to come from our pages, arrive here.
  if (method === "POST" && !headers.has("origin")) headers.set("origin", parts.publicUrl);
  const text = typeof body === "string" && body !== "" ? body : "{}";
  return new Request(url, { method, headers, ...(method === "POST" && { body: text }) });
}

async function answer(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) {
    if (name !== "set-cookie" && name !== "content-length") reply.header(name, value);
  }
  for (const cookie of response.headers.getSetCookie()) reply.header("set-cookie", cookie);
  const text = await response.text();
  if (response.status < 400) return reply.send(withoutTokens(text));
  const wait = response.headers.get("x-retry-after");
  if (wait !== null) reply.header("retry-after", wait);
  return reply.type("application/json; charset=utf-8").send(failure(response.status, text));
}

/**
 * Sessions' tokens are the cookies' alone: no page needs them, and a script that got into one must not
 * carry them off.
 */
function withoutTokens(text: string): string {
  if (!text.includes('"token"')) return text;
  return JSON.stringify(JSON.parse(text, (key, value) => (key === "token" ? undefined : value)));
}

/** better-auth's own code and message, and beside them the body that every other route gives. */
function failure(status: number, text: string): object {
  const { code, message } = fieldsOf(text);
  const told = message ?? (status >= 500 ? "something went wrong; try again" : "refused");
  return {
    ...(code !== undefined && { code }),
    message: told,
    error: { code: codeOf(status), message: told },
  };
}

function fieldsOf(text: string): { code?: string; message?: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return {};
    const { code, message } = value as Record<string, unknown>;
    return {
      ...(typeof code === "string" && { code }),
      ...(typeof message === "string" && { message }),
    };
  } catch {
    return {};
  }
}
