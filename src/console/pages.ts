import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import staticFiles from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ownFile } from "../lib/own-files.ts";
import { noSuchRoute, sendProblem } from "./api/errors.ts";
import { Problem } from "./api/problem.ts";
import { FOREVER, filesOf } from "./served-files.ts";

const INDEX = "index.html";
/** Vite puts a hash of the content into the names of what it writes there. */
const HASHED = "assets/";

/** Beside the built program, else where Vite leaves it in a checkout. */
export function builtPages(): string {
  const packed = fileURLToPath(ownFile("console/web"));
  return existsSync(packed) ? packed : fileURLToPath(ownFile("../web/dist"));
}

/**
 * Serves the pages: files as they are, and the one HTML page for every other address, whose script
 * looks at the address. What stands under /api is never answered by a page.
 */
export async function registerPages(
  app: FastifyInstance,
  { folder, publicUrl }: { readonly folder: string; readonly publicUrl: string },
): Promise<void> {
  const files = filesOf(folder);
  await app.register(staticFiles, {
    root: folder,
    serve: false,
    cacheControl: false,
    preCompressed: true,
  });
  app.setNotFoundHandler((request, reply) => sendProblem(reply, noSuchRoute(request)));
  app.route({
    method: ["GET", "HEAD"],
    url: "/*",
    handler: (request, reply) => {
      const path = pathOf(request);
      if (path !== INDEX && files.has(path)) {
        reply.header("cache-control", path.startsWith(HASHED) ? FOREVER : "no-cache");
        return reply.sendFile(path);
      }
      if (!isPage(path)) return sendProblem(reply, noSuchRoute(request));
      const elsewhere = addressToUse(request, publicUrl);
      if (elsewhere !== undefined) return reply.redirect(elsewhere, 302);
      return files.has(INDEX) ? sendIndex(reply) : sendProblem(reply, notBuilt());
    },
  });
}

const pathOf = ({ url }: FastifyRequest): string => (url.split("?")[0] ?? "").replace(/^\/+/, "");

/** A page's address; not what looks like a file, or like the API. */
const isPage = (path: string): boolean =>
  !path.slice(path.lastIndexOf("/") + 1).includes(".") && !/^api(\/|$)/.test(path);

function sendIndex(reply: FastifyReply): FastifyReply {
  reply.header("cache-control", "no-store");
  return reply.sendFile(INDEX);
}

const notBuilt = (): Problem =>
  new Problem("unavailable", "the dashboard's pages are not built; run: npm run build:web");

/**
 * Cookies and passkeys belong to the one public address. Who writes the same machine as 127.0.0.1
 * is sent there; any other host is left alone, because a proxy may have its own name for us.
 */
function addressToUse(request: FastifyRequest, publicUrl: string): string | undefined {
  const { hostname, port, origin } = new URL(publicUrl);
  const typed = [`127.0.0.1:${port}`, `[::1]:${port}`];
  if (hostname !== "localhost" || !typed.includes(request.headers.host ?? "")) return undefined;
  return `${origin}/${request.url.replace(/^\/+/, "")}`;
}
