import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";

type Alert = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<"summary" | "description" | "runbook_url", string>>;
};
type RuleTest = {
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly unknown[];
  }[];
};

const FOLDER = "deploy/prometheus";
const page = readFileSync("docs/operations.md", "utf8");
const rules = parse(readFileSync(`${FOLDER}/rules.yml`, "utf8")) as {
  readonly groups: readonly { readonly rules: readonly Alert[] }[];
};
const alerts = rules.groups.flatMap((group) => group.rules);
const { tests } = parse(readFileSync(`${FOLDER}/rules.test.yml`, "utf8")) as {
  readonly tests: readonly RuleTest[];
};
/** Of Debian's package prometheus. */
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
const promtool = (args: readonly string[], input = "") => {
  const { status, stdout, stderr } = spawnSync("promtool", args, { cwd: FOLDER, input });
  return { status, output: `${stdout}${stderr}` };
};

const anchors = new Set(
  [...page.matchAll(/^#{2,3} (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  ),
);

let gateway: TestGateway;
let node: StandInNode;
let metrics: string;
beforeAll(async () => {
  node = await startStandInNode(() => ({ result: "0x1" }));
  const upstreams = [{ name: "node", url: node.url }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
  for (const method of ["eth_chainId", "eth_gasPrice", "eth_nonsense"]) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method });
    await (
      await fetch(gateway.http("net"), {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      })
    ).text();
  }
  metrics = await (await gateway.admin("/metrics")).text();
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
});

describe.each(alerts.map((alert) => [alert.alert, alert] as const))("%s", (name, alert) => {
  test("has a severity, texts, and a section of the page for operators", () => {
    expect(alert.labels.severity).toMatch(/^(?:critical|warning|info)$/);
    const { summary, description, runbook_url: runbook } = alert.annotations;
    expect([summary, description].every((text) => text.length > 10)).toBe(true);
    const [, anchor = ""] = /operations#([\w-]+)$/.exec(runbook) ?? [];
    expect(anchors).toContain(anchor);
    const section = page.split(/^### /m).find((each) => each.startsWith(`${titleOf(anchor)}\n`));
    expect(section).toContain(`\`${name}\`, ${alert.labels.severity}`);
  });

  test("asks for metrics that a gateway has", () => {
    const names = alert.expr.match(/\b(?:tollgate|nodejs)_\w+/g) ?? [];
    expect(names).not.toEqual([]);
    for (const metric of names) {
      const family = metric.replace(/_bucket$/, "");
      const isOptional = family.startsWith("tollgate_disk_cache");
      if (!isOptional) expect(metrics, metric).toMatch(new RegExp(`^# TYPE ${family} `, "m"));
      expect(page.includes(`\`${family}\``) || family.startsWith("nodejs_")).toBe(true);
    }
  });

  test("is shown to fire and to resolve", () => {
    const shown = tests
      .flatMap((each) => each.alert_rule_test)
      .filter(({ alertname }) => alertname === name)
      .map(({ exp_alerts: expected }) => expected.length > 0);
    expect(shown).toEqual(expect.arrayContaining([true, false]));
  });
});

/** As its heading is written; only the first letter is a capital one. */
function titleOf(anchor: string): string {
  const words = anchor.replaceAll("-", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

describe.runIf(hasPromtool)("promtool", () => {
  test("finds no fault in the rules", () => {
    expect(promtool(["check", "rules", "rules.yml"])).toMatchObject({ status: 0 });
  });

  test("sees each alert fire and resolve", () => {
    const { status, output } = promtool(["test", "rules", "rules.test.yml"]);
    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining("SUCCESS") });
  });

  test("has no warning about the metrics of a gateway", () => {
    expect(promtool(["check", "metrics"], metrics)).toEqual({ status: 0, output: "" });
  });
});
