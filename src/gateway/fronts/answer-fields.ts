import { corsOrigin } from "../../access/allow-lists.ts";
import { CREDIT_HEADERS } from "../../credits/credit-headers.ts";
import type { MessageAnswer } from "../answer.ts";
import type { FrontExchange } from "./front-exchange.ts";

const EXPOSED = [
  ...["X-Request-Id", "Retry-After", "X-Served-By", "X-Block"],
  ...CREDIT_HEADERS,
].join(", ");

const EXPOSE = `Access-Control-Expose-Headers: ${EXPOSED}\r\n`;
const ANY_ORIGIN = "Access-Control-Allow-Origin: *\r\n";
const EXPOSE_TO_ANY = EXPOSE + ANY_ORIGIN;
const JSON_LENGTH = "Content-Type: application/json\r\nContent-Length: ";

/** The header lines that every answer begins with; `vary`: what else of a request it depends on. */
export function openingFields(exchange: FrontExchange, vary?: string): string {
  const usual = exchange.reading?.identity?.allow === undefined && vary === undefined;
  const cors = usual ? EXPOSE_TO_ANY : EXPOSE + corsFields(exchange, vary);
  return `X-Request-Id: ${exchange.requestId}\r\n${cors}`;
}

/** The headers that tell the source of an answer: a tag's block, a partner. */
export function chainFields({ block, partner }: MessageAnswer): string {
  const tagged = block === undefined ? "" : `X-Block: ${block}\r\n`;
  return partner === true ? `${tagged}X-Served-By: partner\r\n` : tagged;
}

/** Those of an answer's body; none for an empty one (204). */
export function bodyFields(sizeBytes: number, retryAfterSeconds: number | undefined): string {
  const body = sizeBytes === 0 ? "" : `${JSON_LENGTH}${sizeBytes}\r\n`;
  return retryAfterSeconds === undefined ? body : `${body}Retry-After: ${retryAfterSeconds}\r\n`;
}

/** The header lines of the answer to a preflight. */
export function preflightFields(exchange: FrontExchange): string {
  const wanted = exchange.header("access-control-request-headers") ?? "content-type";
  const cors = corsFields(exchange, "Access-Control-Request-Headers");
  return `X-Request-Id: ${exchange.requestId}\r\nAccess-Control-Allow-Methods: POST, OPTIONS\r\nAccess-Control-Allow-Headers: ${wanted}\r\nAccess-Control-Max-Age: 86400\r\n${cors}`;
}

/** Any origin, or those of the key's allow-list; then an answer is for the one that asked. */
function corsFields({ reading, origin }: FrontExchange, vary?: string): string {
  const allow = reading?.identity?.allow;
  const allowed = allow === undefined ? "*" : corsOrigin(allow, origin);
  const allows = allowed === undefined ? "" : `Access-Control-Allow-Origin: ${allowed}\r\n`;
  const varies = allowed === "*" ? vary : ["Origin", vary].filter(Boolean).join(", ");
  return varies === undefined ? allows : `${allows}Vary: ${varies}\r\n`;
}
