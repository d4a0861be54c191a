import { expect, test } from "vitest";
import { parseConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { reloaded } from "./reloadable.ts";

type File = Readonly<Record<string, unknown>>;

const node = (name: string) => ({ name, url: `http://127.0.0.1/${name}` });
const NETWORK = { name: "main", family: "evm", chainId: 1, upstreams: [node("a")] };

const read = (file: File): Config =>
  parseConfig(JSON.stringify({ networks: [NETWORK], ...file }), {
    baseDir: "/base",
    environment: {},
  });

const tls = (name: string) => ({ server: { tls: { cert: `${name}.pem`, key: `${name}.key` } } });

test.each<[string, File, File]>([
  ["plans", {}, { plans: { mine: { dailyCredits: 1, creditsPerSecond: 1 } } }],
  ["the level of the log", {}, { log: { level: "debug" } }],
  ["limits of connections", {}, { server: { maxConnections: 9, maxConnectionsPerAddress: 3 } }],
  ["limits of WebSockets", {}, { server: { websocket: { maxCallsInAir: 7 } } }],
  ["a network's nodes", {}, { networks: [{ ...NETWORK, upstreams: [node("b"), node("c")] }] }],
  [
    "a network's settings",
    {},
    { networks: [{ ...NETWORK, timeoutMs: 1000, hosts: ["a.example"] }] },
  ],
  ["networks", {}, { networks: [{ ...NETWORK, name: "other", chainId: 5 }] }],
])("%s take effect at once", (_what, before, after) => {
  expect(reloaded(read(before), read(after))).toEqual({ config: read(after), needsRestart: [] });
});

test.each<[string, readonly [File, File], readonly string[]]>([
  ["a port", [{}, { server: { port: 1 } }], ["server.port"]],
  ["the store", [{}, { storage: { url: "sqlite:/other.db" } }], ["storage.url"]],
  ["the admin port", [{ admin: {} }, { admin: { port: 7 } }], ["admin.port"]],
  ["an admin port where there was none", [{}, { admin: {} }], ["admin"]],
  ["a network's chain", [{}, { networks: [{ ...NETWORK, chainId: 5 }] }], ["networks[0].chainId"]],
])("%s needs a restart, and stays as it was", (_what, [before, after], paths) => {
  const { config, needsRestart } = reloaded(read(before), read(after));
  expect(needsRestart).toEqual(paths);
  expect(config).toEqual(read(before));
});

test("where some settings need a restart, the others take effect", () => {
  const after = { server: { port: 1, maxConnections: 9 }, log: { level: "warn" } };
  const { config, needsRestart } = reloaded(read({}), read(after));
  expect(needsRestart).toEqual(["server.port"]);
  expect(config).toEqual(read({ server: { maxConnections: 9 }, log: { level: "warn" } }));
});

test("a port that speaks TLS goes on doing so, with other files; another needs a restart for it", () => {
  const plain = read({});
  const secure: Config = { ...plain, server: { ...plain.server, ...tls("a").server } };
  const other: Config = { ...plain, server: { ...plain.server, ...tls("b").server } };
  expect(reloaded(secure, other)).toEqual({ config: other, needsRestart: [] });
  expect(reloaded(secure, plain)).toEqual({ config: secure, needsRestart: ["server.tls"] });
  expect(reloaded(plain, secure)).toEqual({ config: plain, needsRestart: ["server.tls"] });
});
