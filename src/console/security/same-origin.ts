import type { FastifyRequest } from "fastify";
import { Problem } from "../api/problem.ts";

const READS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether a request may change something: it comes from the dashboard's own pages, or from a program
 * that has no cookie and a header by which it is known, and carries JSON, which no form of another
 * site can send. Browsers write Origin and Sec-Fetch-Site themselves; no page has a say in them.
 * @throws Problem 403 or 415
 */
export function guardChange(request: FastifyRequest, origin: string): void {
  const { method, headers } = request;
  if (READS.has(method)) return;
  const site = headers["sec-fetch-site"];
  const isProgram = headers.authorization !== undefined && headers.cookie === undefined;
  const own = headers.origin === undefined ? site === "same-origin" : headers.origin === origin;
  if (!own && !isProgram) {
    const message = `changes are taken from pages of ${origin} alone: send it as the Origin header`;
    throw new Problem("forbidden", message);
  }
  const hasBody = Number(headers["content-length"] ?? 0) > 0 || "transfer-encoding" in headers;
  if ((hasBody || method !== "DELETE") && !isJson(headers["content-type"])) {
    const message = "the content type must be application/json";
    throw new Problem("bad_request", message, { status: 415 });
  }
}

const isJson = (type: string | undefined): boolean =>
  /^application\/json *(?:;|$)/i.test(type ?? "");
