import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ownFile } from "../lib/own-files.ts";
import { sendProblem } from "./api/errors.ts";
import { Problem } from "./api/problem.ts";
import { FOREVER, filesOf } from "./served-files.ts";

const ADDRESS = "/docs/";
const NOT_FOUND = "404.html";
/** VitePress puts a hash of the content into the names of what it writes there. */
const HASHED = "assets/";

/** Beside the built program, else where the build leaves it in a checkout. */
export function builtDocs(): string {
  const packed = fileURLToPath(ownFile("console/docs"));
  return existsSync(packed) ? packed : fileURLToPath(ownFile("../site/dist"));
}

/**
 * Serves the documentation's site under /docs: anybody may read it, and nothing of it comes from elsewhere. The plugin
 * for static files has to be there.
 */
export function registerDocs(app: FastifyInstance, folder: string): void {
  const files = filesOf(folder);
  const policy = files.has(NOT_FOUND) ? policyFor(join(folder, NOT_FOUND)) : "";
  const send = (reply: FastifyReply, file: string): FastifyReply => {
    if (file.endsWith(".html")) reply.header("content-security-policy", policy);
    reply.header("cache-control", file.startsWith(HASHED) ? FOREVER : "no-cache");
    return reply.sendFile(file, folder);
  };
  app.route({
    method: ["GET", "HEAD"],
    url: "/docs",
    handler: (_request, reply) => reply.redirect(ADDRESS, 302),
  });
  app.route({
    method: ["GET", "HEAD"],
    url: `${ADDRESS}*`,
    handler: (request, reply) => {
      if (files.size === 0) return sendProblem(reply, notBuilt());
      const path = pathOf(request);
      const file = [path, `${path}.html`, `${path}index.html`].find((each) => files.has(each));
      return file === undefined ? send(reply.status(404), NOT_FOUND) : send(reply, file);
    },
  });
}

function pathOf({ url }: FastifyRequest): string {
  const [path = ""] = url.split("?");
  return path.slice(ADDRESS.length);
}

/** The scripts that stand in the pages themselves, the same ones in each, and VitePress's styles of code. */
function policyFor(file: string): string {
  const scripts = readFileSync(file, "utf8").matchAll(
    /<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs,
  );
  const hashes = Array.from(scripts, ([, text = ""]) => {
    const hash = createHash("sha256").update(text).digest("base64");
    return `'sha256-${hash}'`;
  });
  return [
    "default-src 'self'",
    `script-src 'self' ${hashes.join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join("; ");
}

const notBuilt = (): Problem =>
  new Problem("unavailable", "the documentation's pages are not built; run: npm run build:docs");
