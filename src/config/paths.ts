import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import type { Path } from "./faults.ts";
import { at, items } from "./issues.ts";
import type { Config } from "./schema.ts";
import type { Finding, Source } from "./source.ts";
import { isPostgresUrl } from "./storage.ts";

/** The configuration with each relative path made absolute, from the folder of its file. */
export function resolvePaths(config: Config, baseDir: string): Config {
  const { server, storage, cache, requestLog } = config;
  const { tls } = server;
  const { disk } = cache;
  const local = (path: string): string => resolve(baseDir, path);
  return {
    ...config,
    server: tls ? { ...server, tls: resolveAll(tls, local) } : server,
    storage: {
      ...storage,
      url: resolveStorage(resolveUrl(storage.url, baseDir), local),
      ...(storage.journal !== undefined && { journal: local(storage.journal) }),
    },
    cache: disk ? { ...cache, disk: { ...disk, path: local(disk.path) } } : cache,
    // `-` is standard output.
    ...(requestLog !== undefined &&
      requestLog.path !== "-" && {
        requestLog: { ...requestLog, path: local(requestLog.path) },
      }),
    networks: config.networks.map((network) => ({
      ...network,
      upstreams: network.upstreams.map((upstream) => ({
        ...upstream,
        url: resolveUrl(upstream.url, baseDir),
        ...(upstream.tls && { tls: resolveAll(upstream.tls, local) }),
      })),
    })),
  };
}

function resolveAll<Paths extends Readonly<Record<string, string | undefined>>>(
  paths: Paths,
  local: (path: string) => string,
): Paths {
  const entries = Object.entries(paths).map(([name, path]) => [name, path && local(path)]);
  return Object.fromEntries(entries) as Paths;
}

/** The file of the CA, which stands in the URL's query, as any other path. */
function resolveStorage(url: string, local: (path: string) => string): string {
  const parsed = isPostgresUrl(url) ? URL.parse(url) : null;
  const ca = parsed?.searchParams.get("sslrootcert") ?? "";
  if (parsed === null || ca === "") return url;
  parsed.searchParams.set("sslrootcert", local(ca));
  return parsed.href;
}

/** `file:./ledger` becomes `file:/…/ledger`; what comes after the colon is a path, unencoded. */
function resolveUrl(url: string, baseDir: string): string {
  const [, scheme, path = ""] = /^(file|sqlite):(?:\/\/(?=\/))?(.*)$/s.exec(url) ?? [];
  return scheme === undefined ? url : `${scheme}:${resolve(baseDir, path)}`;
}

/** Certificates are looked for when the file is read: later, the first client would find out. */
export function missingFiles(source: Source, baseDir: string): Finding[] {
  const findings: Finding[] = [];
  for (const path of tlsPaths(source.value)) {
    const value = at(source.value, path);
    if (typeof value !== "string" || value === "" || readable(resolve(baseDir, value))) continue;
    const file = source.isSecret(path) ? "this file" : resolve(baseDir, value);
    findings.push({ path, message: `can't be read: ${file}; a PEM file is needed` });
  }
  return findings;
}

/** Of clients' connections, and of each upstream. */
function tlsPaths(root: unknown): Path[] {
  const upstreams = items(root, ["networks"]).flatMap((network) =>
    items(root, [...network, "upstreams"]),
  );
  return [
    ["server", "tls", "cert"],
    ["server", "tls", "key"],
    ...upstreams.flatMap((path) => ["cert", "key", "ca"].map((name) => [...path, "tls", name])),
  ];
}

function readable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
