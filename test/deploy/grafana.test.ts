import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { newAccount } from "../../src/access/new-account.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openMemory } from "../../src/storage/memory.ts";
import { openPostgres } from "../../src/storage/postgres/client.ts";
import { freePort } from "../support/free-port.ts";
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { latenciesAt } from "../support/latencies-at.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { untilListening } from "../support/until-listening.ts";
import { recordOutput, temporaryFolder } from "../support/written.ts";

type Panel = {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
  readonly targets?: readonly Target[];
};
/** A question to Prometheus, or to a PostgreSQL. */
type Target = { readonly expr?: string; readonly legendFormat?: string; readonly rawSql?: string };
type Board = {
  readonly uid: string;
  readonly title: string;
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query?: unknown }[];
  };
  readonly panels: readonly Panel[];
};

const boards = globSync("deploy/grafana/*.json")
  .toSorted()
  .map((file) => JSON.parse(readFileSync(file, "utf8")) as Board);
const page = readFileSync("docs/operations.md", "utf8");
/** Of Debian's package prometheus. */
const hasPrometheus = spawnSync("prometheus", ["--version"]).status === 0;

const targets = boards.flatMap(({ title, panels }) =>
  panels.flatMap((panel) =>
    (panel.targets ?? []).map((target, index): [string, Target] => [
      `${title}, "${panel.title}", ${index + 1}`,
      target,
    ]),
  ),
);
const queriesOf = (of: (target: Target) => string | undefined): [string, string][] =>
  targets.flatMap(([name, target]) => {
    const text = of(target);
    return text === undefined ? [] : [[name, text]];
  });
const queries = queriesOf(({ expr }) => expr);
const statements = queriesOf(({ rawSql }) => rawSql);

test("there is a board for all gateways, one for a network, an account and the fleet", () => {
  expect(boards.map(({ uid }) => uid)).toEqual([
    "tollgate-account",
    "tollgate-fleet",
    "tollgate-network",
    "tollgate-overview",
  ]);
});

describe.each(boards.map((board) => [board.title, board] as const))("%s", (_title, board) => {
  const shown = board.panels.filter(({ type }) => type !== "row");

  test("each panel says what it shows, in which unit, and what each line is", () => {
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
    for (const { title, description = "", fieldConfig, targets = [] } of shown) {
      expect(description.length, title).toBeGreaterThan(5);
      expect(fieldConfig?.defaults.unit, title).toMatch(/^\w+$/);
      expect(targets.length, title).toBeGreaterThan(0);
      for (const { expr, legendFormat = "" } of targets) {
        if (expr !== undefined) expect(legendFormat, title).not.toBe("");
      }
    }
  });

  test("no panel lies over another one", () => {
    const places = board.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    expect(new Set(places).size).toBe(places.length);
  });

  test("asks for metrics that the page describes, and for variables that it has", () => {
    const names = board.templating.list.map(({ name }) => name);
    for (const { targets = [] } of shown) {
      for (const { expr = "", rawSql = "" } of targets) {
        for (const [, name] of rawSql.matchAll(/\$\{(\w+)/g)) expect(names).toContain(name);
        for (const [metric] of expr.matchAll(/\btollgate_\w+/g)) {
          expect(page).toContain(`\`${metric.replace(/_bucket$/, "")}\``);
        }
        for (const [, name] of expr.matchAll(/\$(\w+)/g)) {
          expect(["__rate_interval", ...names]).toContain(name);
        }
      }
    }
  });
});

describe("on the PostgreSQL that gateways share", () => {
  const schema = `boards_${randomUUID().replaceAll("-", "")}`;
  let connected: pg.Client;
  let account = "";

  beforeAll(async () => {
    const url = await sharedPostgres();
    const storage = await openPostgres({ url, schema });
    const made = { email: "ada@example.com", plan: "free", operator: false };
    const owner = newAccount({ clock: systemClock, random: randomBytes }, made);
    account = owner.id;
    await storage.accounts.insert(owner);
    const of = {
      accountId: account,
      network: "net",
      calls: 3,
      credits: 240,
      bytes: 99,
      latencyMs: 5,
      latencies: latenciesAt(2, 3),
    };
    const minute = Math.floor(Date.now() / 60_000) - 30;
    await storage.usage.record(
      ["ok", "unavailable"].map((outcome) => ({
        ...{ ...of, minute, outcome },
        ...{ keyId: "key_that_is_gone", method: "eth_getBalance" },
      })),
      [],
    );
    await storage.close();
    connected = await asReader(url);
  });
  afterAll(() => connected.end());

  /** As the user that the page gives Grafana. */
  async function asReader(url: string): Promise<pg.Client> {
    const [, sql = ""] = /```sql\n(CREATE ROLE grafana [\s\S]*?)```/.exec(page) ?? [];
    const reader = `grafana_${schema}`;
    const owner = new pg.Client(url);
    await owner.connect();
    await owner.query(sql.replaceAll("grafana", reader).replace(/\btollgate\b/g, schema));
    await owner.end();
    const address = new URL(url);
    [address.username, address.password] = [reader, encodeURIComponent("…")];
    const client = new pg.Client(address.href);
    await client.connect();
    return client;
  }

  test("the page's user reads nothing but what the board shows", async () => {
    for (const column of ["hash", "allow"]) {
      await expect(connected.query(`SELECT ${column} FROM ${schema}.keys`)).rejects.toThrow(
        "permission denied",
      );
    }
    await expect(connected.query(`DELETE FROM ${schema}.usage_hours`)).rejects.toThrow(
      "permission denied",
    );
  });

  /** As Grafana fills it in. */
  const filled = (sql: string): string =>
    sql
      .replaceAll(`\${schema:raw}`, schema)
      .replaceAll(`\${account:sqlstring}`, `'${account}'`)
      .replaceAll("$__from", String(Date.now() - 2 * 86_400_000))
      .replaceAll("$__to", String(Date.now()));

  test("the variable lists the accounts", async () => {
    const board = boards.find(({ uid }) => uid === "tollgate-account");
    const sql = board?.templating.list.find(({ name }) => name === "account")?.query;
    const { rows } = await connected.query(filled(String(sql)));
    expect(rows).toEqual([{ __text: "ada@example.com", __value: account }]);
  });

  test.each(statements)("%s gives numbers", async (_name, sql) => {
    const { rows } = await connected.query(filled(sql));
    expect(rows.length).toBeGreaterThan(0);
    const { time, metric, network, method, outcome, ...numbers } = rows[0];
    if (time !== undefined) expect(time).toBeInstanceOf(Date);
    expect(Object.values(numbers).length).toBeGreaterThan(0);
    for (const value of Object.values(numbers)) expect(Number(value)).toBeGreaterThan(0);
  });
});

describe.runIf(hasPrometheus)("on a Prometheus that scraped two gateways", () => {
  const folder = temporaryFolder("prometheus");
  let nodes: readonly StandInNode[];
  let gateways: readonly TestGateway[];
  let prometheus: ChildProcess | undefined;
  let url: string;
  let isOver = false;
  let calls: Promise<unknown> = Promise.resolve();

  const call = async (gateway: TestGateway): Promise<void> => {
    while (!isOver) {
      for (const method of ["eth_gasPrice", "eth_getBalance", "eth_nonsense"]) {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: paramsOf(method) });
        const headers = { "content-type": "application/json" };
        await (await fetch(gateway.http("net"), { method: "POST", headers, body })).text();
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  beforeAll(async () => {
    nodes = await Promise.all([
      startStandInNode(() => ({ result: "0x1" })),
      startStandInNode(() => ({ result: "0x1" })),
    ]);
    const upstreams = nodes.map((node, index) => ({ name: `node-${index}`, url: node.url }));
    const options = {
      networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
      storage: openMemory(),
      cache: { memoryBytes: 1_000_000 },
    };
    gateways = [
      await startTestGateway(options),
      await startTestGateway({ ...options, account: "second@example.com" }),
    ];
    calls = Promise.all(gateways.map(call));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const file = join(folder, "prometheus.yml");
    const targets = gateways.map(({ adminPort }) => `127.0.0.1:${adminPort}`);
    const job = {
      job_name: "tollgate",
      authorization: { credentials: ADMIN_TOKEN },
      static_configs: [{ targets }],
    };
    const global = { scrape_interval: "500ms", scrape_timeout: "500ms" };
    writeFileSync(file, stringify({ global, scrape_configs: [job] }));
    const words = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, "data")}`];
    const started = spawn("prometheus", [...words, `--web.listen-address=127.0.0.1:${port}`], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    recordOutput(started.stderr, "prometheus: stderr");
    prometheus = started;
    await untilListening(port);
  });
  afterAll(async () => {
    isOver = true;
    await calls;
    prometheus?.kill("SIGKILL");
    for (const each of [...(gateways ?? []), ...(nodes ?? [])]) await each.stop();
  });

  /** The values of all series. */
  const valuesOf = async (expr: string): Promise<readonly number[]> => {
    const query = expr.replaceAll("$__rate_interval", "4s").replaceAll(/\$\w+/g, ".*");
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { status, error, data } = (await response.json()) as {
      readonly status: string;
      readonly error?: string;
      readonly data?: { readonly result: readonly { readonly value: readonly [number, string] }[] };
    };
    expect(status, error).toBe("success");
    return (data?.result ?? []).map(({ value }) => Number(value[1]));
  };

  test.each(queries)("%s gives numbers", async (_name, expr) => {
    await expect
      .poll(
        async () => {
          const values = await valuesOf(expr);
          return values.length > 0 && values.every((value) => Number.isFinite(value));
        },
        { timeout: 20_000, interval: 250 },
      )
      .toBe(true);
  });
});

function paramsOf(method: string): readonly string[] {
  return method === "eth_getBalance" ? [`0x${"11".repeat(20)}`, "latest"] : [];
}
