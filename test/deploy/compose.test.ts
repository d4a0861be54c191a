import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseConfig } from "../../src/config/load.ts";

const FOLDER = "deploy";
const text = readFileSync(join(FOLDER, "compose.yaml"), "utf8");

type Service = {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly secrets?: readonly string[];
  readonly [name: string]: unknown;
};
const { services, volumes, secrets } = parse(text) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly environment: string }>>;
};
const entries = Object.entries(services);
/** The names of a file of variables. */
const filled = readFileSync(join(FOLDER, "compose/environment.example"), "utf8")
  .split("\n")
  .flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);

test("what is mounted is there, or is a volume of the file", () => {
  const mounted = entries.flatMap(([, one]) => one.volumes ?? []).map((mount) => mount.split(":"));
  expect(mounted.length).toBeGreaterThan(6);
  for (const [from = ""] of mounted) {
    if (from.startsWith(".")) expect(existsSync(join(FOLDER, from)), from).toBe(true);
    else expect(Object.keys(volumes)).toContain(from);
  }
});

test("each variable is in the example, and none has a value there", () => {
  const used = [...text.matchAll(/\$\{(\w+):\?is missing in \.env\}/g)].map(([, name]) => name);
  const given = Object.values(secrets).map(({ environment }) => environment);
  expect(new Set([...used, ...given])).toEqual(new Set(filled));
  expect(text.replace(/\$\{\w+:\?[^}]*\}/g, "")).not.toContain("$");
});

test("ports are open on this machine alone, and the admin port on none", () => {
  const ports = entries.flatMap(([, one]) => one.ports ?? []);
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
  expect(ports.join()).not.toContain("9545");
});

test("the gateway has no rights, and time to end by itself", () => {
  expect(services["gateway"]).toMatchObject({
    ...{ read_only: true, tmpfs: ["/tmp"], cap_drop: ["ALL"], stop_grace_period: "30s" },
    security_opt: ["no-new-privileges:true"],
    depends_on: { database: { condition: "service_healthy" } },
  });
});

describe("the gateway's file", () => {
  const environment = Object.fromEntries(
    filled.map((name) => [name, "0123456789abcdef".repeat(4)]),
  );
  const { networks, ...config } = parseConfig(
    readFileSync(join(FOLDER, "compose/tollgate.yaml"), "utf8"),
    {
      baseDir: "/etc/tollgate",
      environment: { ...environment, NODE_URL: "https://node.example/" },
    },
  );

  test("has no fault, and needs no variable that its container lacks", () => {
    expect(networks).toHaveLength(1);
    const own = readFileSync(join(FOLDER, "compose/tollgate.yaml"), "utf8");
    const used = [...own.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(services["gateway"]?.environment ?? {}).toSorted()).toEqual(used.toSorted());
  });

  test("listens where other containers and the machine look for it", () => {
    const { server, admin, console, storage } = config;
    expect([server.host, admin?.host, console?.host]).toEqual(["0.0.0.0", "0.0.0.0", "0.0.0.0"]);
    expect(services["gateway"]?.ports).toEqual(
      [server.port, console?.port].map((port) => `127.0.0.1:${port}:${port}`),
    );
    expect(new URL(storage.url).hostname in services).toBe(true);
    const prometheus = readFileSync(join(FOLDER, "compose/prometheus.yml"), "utf8");
    expect(prometheus).toContain(`targets: ["gateway:${admin?.port}"]`);
    expect(prometheus).toContain(`/run/secrets/${services["prometheus"]?.secrets?.[0]}`);
  });
});

describe.runIf(spawnSync("promtool", ["--version"]).status === 0)("promtool", () => {
  test("finds no fault in Prometheus' file", () => {
    const file = join(FOLDER, "compose/prometheus.yml");
    const { status, stderr } = spawnSync("promtool", ["check", "config", "--syntax-only", file]);
    expect(status, String(stderr)).toBe(0);
  });
});
