import { corsOrigin } from "../access/allow-lists.ts";
import { CREDIT_HEADERS } from "../credits/credit-headers.ts";
import type { MessageAnswer } from "./answer.ts";
import type { Exchange } from "./exchange.ts";

const EXPOSED = [
  ...["X-Request-Id", "Retry-After", "X-Served-By", "X-Block"],
  ...CREDIT_HEADERS,
].join(", ");

const EXPOSE = `Access-Control-Expose-Headers: ${EXPOSED}\r\n`;
const ANY_ORIGIN = "Access-Control-Allow-Origin: *\r\n";
const EXPOSE_TO_ANY = EXPOSE + ANY_ORIGIN;
const JSON_LENGTH = "Content-Type: application/json\r\nContent-Length: ";

/** The header lines that every answer begins with; `vary`: what else of a request it depends on. */
export function openingFields(exchange: Exchange, vary?: string): string {
  const usual = exchange.identity?.allow === undefined && vary === undefined;
  const cors = usual ? EXPOSE_TO_ANY : EXPOSE + corsFields(exchange, vary);
  return `X-Request-Id: ${exchange.requestId}\r\n${cors}`;
}

/** What an answer's calls were answered from: a tag's block, a partner. */
export function chainFields({ block, partner }: MessageAnswer): string {
  const tagged = block === undefined ? "" : `X-Block: ${block}\r\n`;
  return partner === true ? `${tagged}X-Served-By: partner\r\n` : tagged;
}

/** Those of an answer's body; none for an empty one (204). */
export function bodyFields(sizeBytes: number, retryAfterSeconds: number | undefined): string {
  const body = sizeBytes === 0 ? "" : `${JSON_LENGTH}${sizeBytes}\r\n`;
  return retryAfterSeconds === undefined ? body : `${body}Retry-After: ${retryAfterSeconds}\r\n`;
}

/** Of the answer to a preflight. */
export function preflightFields(exchange: Exchange): string {
  const wanted = exchange.header("access-control-request-headers") ?? "content-type";
  const cors = corsFields(exchange, "Access-Control-Request-Headers");
  return `X-Request-Id: ${exchange.requestId}\r\nAccess-Control-Allow-Methods: POST, OPTIONS\r\nAccess-Control-Allow-Headers: ${wanted}\r\nAccess-Control-Max-Age: 86400\r\n${cors}`;
}

/** Any origin, or those of the key's allow-list; then an answer is for the one that asked. */
function corsFields({ identity, origin }: Exchange, vary?: string): string {
  const allowed = identity?.allow === undefined ? "*" : corsOrigin(identity.allow, origin);
  const allow = allowed === undefined ? "" : `Access-Control-Allow-Origin: ${allowed}\r\n`;
  const varies = allowed === "*" ? vary : ["Origin", vary].filter(Boolean).join(", ");
  return varies === undefined ? allow : `${allow}Vary: ${varies}\r\n`;
}
