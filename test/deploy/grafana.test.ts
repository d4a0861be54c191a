import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { openMemory } from "../../src/storage/memory.ts";
import { freePort } from "../support/free-port.ts";
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from "../support/gateway.ts";
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
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
};
type Board = {
  readonly uid: string;
  readonly title: string;
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly Panel[];
};

const boards = globSync("deploy/grafana/*.json")
  .toSorted()
  .map((file) => JSON.parse(readFileSync(file, "utf8")) as Board);
const page = readFileSync("docs/operations.md", "utf8");
/** Of Debian's package prometheus. */
const hasPrometheus = spawnSync("prometheus", ["--version"]).status === 0;

const queries = boards.flatMap(({ title, panels }) =>
  panels.flatMap((panel) =>
    (panel.targets ?? []).map(({ expr }, index): [string, string] => [
      `${title}, "${panel.title}", ${index + 1}`,
      expr,
    ]),
  ),
);

test("there is a board for all gateways, one for a network and one for the fleet", () => {
  expect(boards.map(({ uid }) => uid)).toEqual([
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
      for (const { legendFormat } of targets) expect(legendFormat, title).not.toBe("");
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
      for (const { expr } of targets) {
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
