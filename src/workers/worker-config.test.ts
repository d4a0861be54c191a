import { expect, test } from "vitest";
import { parseConfig } from "../config/load.ts";
import { ownConfig } from "../config/own-config.ts";
import { workerConfig } from "./worker-config.ts";

function configOf(upstream: object) {
  const networks = [
    {
      name: "net",
      family: "evm",
      upstreams: [{ name: "a", url: "http://127.0.0.1:1", ...upstream }],
    },
  ];
  const file = {
    server: { port: 0, workers: 4 },
    admin: {},
    cache: { memoryBytes: 1003 },
    keys: { memoryBytes: 8000 },
    networks,
  };
  return parseConfig(JSON.stringify(file), { baseDir: "/", environment: {} });
}

test("bounds of the machine and of a node are divided among the workers", () => {
  const config = workerConfig(configOf({ maxConnections: 10, requestsPerSecond: 2 }), 8545);
  expect(config.cache.memoryBytes).toBe(250);
  expect(config.keys.memoryBytes).toBe(2000);
  const [upstream] = config.networks[0]?.upstreams ?? [];
  expect(upstream).toMatchObject({ maxConnections: 2, requestsPerSecond: 0.5 });
});

test("each worker may open one connection to a node at the least", () => {
  const [upstream] = workerConfig(configOf({ maxConnections: 2 }), 0).networks[0]?.upstreams ?? [];
  expect(upstream?.maxConnections).toBe(1);
  expect(upstream).not.toHaveProperty("requestsPerSecond");
});

test("a worker opens the port that it is told, and never the admin port", () => {
  const config = workerConfig(configOf({}), 8545);
  expect(config.server.port).toBe(8545);
  expect(config).not.toHaveProperty("admin");
});

test("on its way to a worker the configuration loses nothing, and plans are no objects with a prototype", () => {
  const config = workerConfig(configOf({}), 8545);
  const own = ownConfig(structuredClone(config));
  expect(own).toEqual(config);
  expect(own.plans["constructor"]).toBeUndefined();
});
