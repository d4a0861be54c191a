import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { parseConfig } from "../../src/config/load.ts";
import { type Command, goModule, helm, kubernetesValidate } from "../support/other-languages.ts";
import { temporaryFolder } from "../support/written.ts";

const CHART = "deploy/helm/tollgate";
const PROMETHEUS_OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.85.0";
/** The oldest that Chart.yaml takes, and the newest whose schemas are there. */
const KUBERNETES = ["1.30", "1.37"];

type Container = {
  readonly envFrom: readonly unknown[];
  readonly volumeMounts: readonly { readonly name: string }[];
  readonly [name: string]: unknown;
};
type Pod = {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> | null };
  readonly spec: {
    readonly containers: readonly [Container];
    readonly volumes: readonly { readonly name: string }[];
    readonly terminationGracePeriodSeconds: number;
    readonly [name: string]: unknown;
  };
};
type Manifest = {
  readonly kind: string;
  readonly data: Readonly<Record<string, string>>;
  readonly spec: { readonly template: Pod; readonly [name: string]: unknown };
};

const folder = temporaryFolder("helm");
const program = await helm();

function run([file, ...args]: Command): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: "utf8" });
  return { status, text: status === 0 ? stdout : `${stdout}${stderr}` };
}
const runHelm = (...args: readonly string[]) => run([...(program ?? ["helm"]), ...args] as Command);

/** What the chart makes of these values: the text, and its manifests by kind. */
function rendered(store: string, ...more: readonly string[]) {
  const values = ["--values", `${CHART}/ci/${store}-values.yaml`, ...more];
  const { status, text } = runHelm("template", "gate", CHART, "--kube-version", "1.37", ...values);
  expect(status, text).toBe(0);
  const manifests = parseAllDocuments(text).map((one) => one.toJS() as Manifest);
  return { text, of: Object.fromEntries(manifests.map((one) => [one.kind, one])) };
}
const podOf = (of: Readonly<Record<string, Manifest>>): Pod | undefined =>
  (of["StatefulSet"] ?? of["Deployment"])?.spec.template;

describe.skipIf(program === undefined)("the Helm chart", () => {
  test("refuses to be installed without networks, and without a Secret", () => {
    const { status, text } = runHelm("template", "gate", CHART);
    expect(status).not.toBe(0);
    expect(text).toMatch(/existingSecret'?: minLength/);
    expect(text).toMatch(/config\/networks'?: minItems/);
  });

  test("makes one gateway with a volume on SQLite", () => {
    const { of } = rendered("sqlite");
    expect(Object.keys(of).toSorted()).toEqual(["ConfigMap", "Service", "StatefulSet"]);
    expect(of["StatefulSet"]?.spec).toMatchObject({
      replicas: 1,
      volumeClaimTemplates: [{ metadata: { name: "data" } }],
    });
  });

  test("makes several that are replaced one by one on PostgreSQL", () => {
    const { of } = rendered("postgres");
    const kinds = "ConfigMap Deployment Ingress PodDisruptionBudget PodMonitor Service";
    expect(Object.keys(of).toSorted().join(" ")).toBe(kinds);
    expect(of["Deployment"]?.spec).toMatchObject({
      replicas: 3,
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    const alone = rendered("postgres", "--set", "replicas=1").of;
    expect(alone["PodDisruptionBudget"]).toBeUndefined();
  });

  test("starts gateways anew for a changed file, unless they are to be told", () => {
    const sumOf = (...more: readonly string[]) =>
      podOf(rendered("sqlite", ...more).of)?.metadata.annotations?.["checksum/config"];
    const other = ["--set", "config.log.level=warn"];
    expect(sumOf()).toMatch(/^[0-9a-f]{64}$/);
    expect(sumOf(...other)).not.toBe(sumOf());
    expect(sumOf(...other, "--set", "restartOnChange=false")).toBeUndefined();
  });

  test("takes numbers of any size as they are", () => {
    const more = ["--set", "config.cache.memoryBytes=4294967296"];
    const file = parse(rendered("sqlite", ...more).of["ConfigMap"]?.data["tollgate.yaml"] ?? "");
    expect(file).toMatchObject({ cache: { memoryBytes: 4_294_967_296 } });
  });
});

describe.skipIf(program === undefined).each(["sqlite", "postgres"])("on %s", (store) => {
  test("has no fault that helm finds", () => {
    const values = `${CHART}/ci/${store}-values.yaml`;
    const { status, text } = runHelm("lint", CHART, "--strict", "--values", values);
    expect(status, text).toBe(0);
  });

  test.each(KUBERNETES)("is what the schemas of Kubernetes %s ask for", async (version) => {
    const validate = await kubernetesValidate(version);
    if (validate === undefined) return;
    const { of } = rendered(store);
    const known = Object.values(of).filter(({ kind }) => kind !== "PodMonitor");
    const file = join(folder, `${store}.yaml`);
    writeFileSync(file, known.map((one) => stringify(one)).join("---\n"));
    const { status, text } = run([...validate, file]);
    expect(status, text).toBe(0);
  });

  test("runs without root, without rights, and writes to its volumes alone", () => {
    const pod = podOf(rendered(store).of)?.spec;
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: {
        ...{ runAsNonRoot: true, runAsUser: 65_532, fsGroup: 65_532 },
        seccompProfile: { type: "RuntimeDefault" },
      },
    });
    expect(pod?.containers[0]["securityContext"]).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  test("gives the gateway a file without fault, and each variable from the Secret", () => {
    const { of } = rendered(store);
    const text = of["ConfigMap"]?.data["tollgate.yaml"] ?? "";
    const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name);
    expect(names).toContain("ADMIN_TOKEN");
    const secrets = names.map((name) => [name, "0123456789abcdef".repeat(4)]);
    const environment = { ...Object.fromEntries(secrets), NODE_URL: "https://node.example/" };
    const config = parseConfig(text, { baseDir: "/etc/tollgate", environment });
    expect(config.admin?.host).toBe("0.0.0.0");
    expect(config.console?.host).toBe(store === "postgres" ? "0.0.0.0" : undefined);
    const pod = podOf(of)?.spec;
    expect(pod?.containers[0].envFrom).toEqual([{ secretRef: { name: "tollgate" } }]);
    const seconds = 5 + config.server.shutdownTimeoutMs / 1000;
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(seconds);
  });

  test("has a volume for each place that is mounted", () => {
    const { of } = rendered(store);
    const pod = podOf(of)?.spec;
    const claimed = of["StatefulSet"] === undefined ? [] : ["data"];
    const volumes = [...(pod?.volumes ?? []).map(({ name }) => name), ...claimed];
    expect(pod?.containers[0].volumeMounts.map(({ name }) => name).toSorted()).toEqual(
      volumes.toSorted(),
    );
  });
});

test.skipIf(program === undefined)("the PodMonitor is what its definition asks for", async () => {
  const source = await goModule(PROMETHEUS_OPERATOR);
  const file = "example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml";
  const definition = parse(readFileSync(join(source ?? "", file), "utf8"));
  const schema = definition.spec.versions[0].schema.openAPIV3Schema.properties.spec;
  const validate = new Ajv({ strict: false, validateFormats: false, logger: false }).compile({
    ...schema,
    additionalProperties: false,
  });
  const { of } = rendered("postgres");
  expect(validate(of["PodMonitor"]?.spec), JSON.stringify(validate.errors)).toBe(true);
  expect(of["PodMonitor"]?.spec).toMatchObject({
    podMetricsEndpoints: [
      { port: "admin", authorization: { credentials: { name: "tollgate", key: "ADMIN_TOKEN" } } },
    ],
  });
});
