import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { noticedIn } from "../../scripts/notices.ts";
import { SLOT_SAMPLES } from "../../src/dev/slot-samples.ts";
import { SECRET } from "../console/support/test-console.ts";
import {
  isAlive,
  provideCurl,
  type Ran,
  Running,
  run,
  runShell,
  userEnvironment,
} from "../support/shell.ts";
import { temporaryFolder } from "../support/written.ts";

const root = join(import.meta.dirname, "../..");
const folder = temporaryFolder("package");
const project = join(folder, "project");
const env = userEnvironment(folder);
const installed = join(project, "node_modules/tollgate");
const inProject = { cwd: project, env };

const npm = async (args: readonly string[], cwd: string): Promise<Ran> => {
  const ran = await run("npm", [...args, "--no-audit", "--no-fund"], { cwd, env });
  expect(ran.code, ran.output).toBe(0);
  return ran;
};

/** The machine's own Node, where that is too old for the program. */
const olderNode = (env["PATH"] ?? "")
  .split(":")
  .map((path) => join(path, "node"))
  .find((file) => {
    const { status, stdout } = spawnSync(file, ["--version"]);
    return status === 0 && Number(/^v(\d+)/.exec(String(stdout))?.[1]) < 24;
  });

let files: string[];
let running: Running | undefined;

beforeAll(async () => {
  mkdirSync(project);
  await provideCurl(folder);
  const packed = await npm(["pack", "--silent", "--pack-destination", folder], root);
  const tarball = join(folder, `tollgate-${manifest.version}.tgz`);
  expect(packed.stdout.trim().split("\n").at(-1)).toBe(`tollgate-${manifest.version}.tgz`);
  const listed = await run("tar", ["-tzf", tarball]);
  files = listed.stdout.trim().split("\n");
  writeFileSync(join(project, "package.json"), '{"private":true}');
  await npm(["install", "--omit=dev", "--prefer-offline", tarball], project);
}, 120_000);

afterEach(async () => {
  running?.signal("SIGKILL");
  await running?.ended;
});

afterAll(() => {
  rmSync(join(folder, "global"), { recursive: true, force: true });
  // A hundred megabytes that nothing here has written.
  rmSync(join(project, "node_modules"), { recursive: true });
});

test("the tests run on the pinned Node, whichever is the machine's own", () => {
  expect(process.version).toBe(`v${manifest.devDependencies.node}`);
});

describe("the packed package", () => {
  test("holds compiled JavaScript, what is read at run time, the texts, and no sources or tests", () => {
    const own = files.map((file) => file.replace(/^package\//, ""));
    expect(own).toEqual(
      expect.arrayContaining([
        "dist/cli.js",
        "dist/console/entry.js",
        "dist/storage/sqlite/worker.js",
        "dist/block-files/worker.js",
        "dist/workers/entry.js",
        "dist/storage/sqlite/migrations/0001-accounts-and-keys.sql",
        "dist/storage/postgres/migrations/0001-tables.sql",
        "README.md",
        "LICENSE",
      ]),
    );
    expect(own.filter((file) => /\.ts$|\.test\.js$|^src\/|^test\//.test(file))).toEqual([]);
  });

  test("names each package whose code it holds, with its licence", () => {
    const dist = join(installed, "dist");
    const namesIn = (part: string) =>
      noticedIn(join(dist, part)).map((name) => name.slice(0, name.lastIndexOf("@")));
    const program = namesIn("");
    expect(program).toEqual(expect.arrayContaining(["zod", "prom-client", "tdigest"]));
    expect(program.filter((name) => name in manifest.dependencies)).toEqual([]);
    expect(namesIn("console/web")).toEqual(expect.arrayContaining(["preact", "better-auth"]));
  });

  test("brings the versions and hashes of what it needs, and nothing that only developers need", () => {
    const lock = JSON.parse(readFileSync(join(installed, "npm-shrinkwrap.json"), "utf8"));
    const entries = Object.entries<{ integrity?: string; resolved?: string }>(lock.packages);
    const packages = new Map(entries.filter(([path]) => path !== ""));
    const names = [...packages.keys()].map((path) => path.split("node_modules/").at(-1) ?? "");
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
    expect(names.filter(isDevelopersOwn)).toEqual([]);
    for (const [path, { integrity, resolved }] of packages) {
      expect(integrity, path).toMatch(/^sha512-/);
      expect(resolved, path).toBeUndefined();
    }
  });

  test("has a bill of materials that names what comes with it and what is joined into it", () => {
    const bill = JSON.parse(readFileSync(join(installed, "dist/sbom.json"), "utf8"));
    expect(bill).toMatchObject({
      bomFormat: "CycloneDX",
      metadata: { component: { name: "tollgate", version: manifest.version } },
    });
    const components = bill.components as { name: string; version: string; hashes: unknown[] }[];
    const named = components.map(({ name, version }) => `${name}@${version}`);
    const joined = ["", "console/web"].flatMap((part) => noticedIn(join(installed, "dist", part)));
    const dependencies = Object.entries(manifest.dependencies).map((each) => each.join("@"));
    expect(named).toEqual(expect.arrayContaining([...joined, ...dependencies]));
    expect(components.filter(({ hashes }) => hashes.length === 0)).toEqual([]);
    expect(components.filter(({ name }) => isDevelopersOwn(name))).toEqual([]);
  });

  test("is installed for a whole machine by the command of docs/install.md", async () => {
    const page = readFileSync("docs/install.md", "utf8");
    const command = /^npm install --global .*$/m.exec(page)?.[0] ?? "none";
    const prefix = join(folder, "global");
    const script = `${command} --prefer-offline --no-audit --no-fund`;
    const place = { cwd: folder, env: { ...env, npm_config_prefix: prefix } };
    const ran = await runShell(script, place);
    expect(ran.code, ran.output).toBe(0);
    const version = await run(join(prefix, "bin/tollgate"), ["--version"], place);
    expect(version.stdout).toBe(`${manifest.version}\n`);
  });

  test("prints its version and the schema of the configuration", async () => {
    const version = await runShell("npx tollgate --version", inProject);
    expect(version.stdout).toBe(`${manifest.version}\n`);
    const schema = await runShell("npx tollgate schema", inProject);
    expect(schema.code).toBe(0);
    expect(JSON.parse(schema.stdout)).toMatchObject({ required: ["networks"] });
  });

  test("starts its workers, the dashboard, and the threads of storage and ledger", async () => {
    const ledger = join(installed, "dist/dev/sample-ledger");
    const config = {
      server: { host: "127.0.0.1", port: 0, workers: 2 },
      console: { host: "127.0.0.1", port: 0, signup: "closed", secret: SECRET },
      storage: { url: "sqlite:./tollgate.db" },
      networks: [
        { name: "slots", family: "slot", upstreams: [{ name: "files", url: `file:${ledger}` }] },
      ],
    };
    writeFileSync(join(project, "tollgate.yaml"), stringify(config));
    const tollgate = "node_modules/.bin/tollgate";
    const configured = ["--config", "tollgate.yaml"];
    const owner = "package@example.com";
    const create = ["accounts", "create", owner, "--plan", "free", ...configured];
    expect(await run(tollgate, create, inProject)).toMatchObject({ code: 0 });
    const keyed = ["keys", "create", "--account", owner, "--name", "one", "--json", ...configured];
    const { key } = JSON.parse((await run(tollgate, keyed, inProject)).stdout);

    running = new Running(tollgate, ["start", ...configured], inProject);
    const pages = await running.printed(/"port":(\d+),"pid":\d+,"msg":"dashboard serves"/);
    const [, dashboard] = /"port":(\d+),"pid":\d+,"msg":"dashboard serves"/.exec(pages) ?? [];
    const page = await fetch(`http://localhost:${dashboard}/`);
    expect(page.headers.get("content-type")).toContain("text/html");
    const [, port] = /"port":(\d+),[^\n]*"workers":2,"msg":"serving"/.exec(pages) ?? [];
    const call = { jsonrpc: "2.0", id: 1, method: "getBlock", params: [SLOT_SAMPLES.emptySlot] };
    const answer = await fetch(`http://127.0.0.1:${port}/slots/v3/${key}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(call),
    });
    expect(await answer.json()).toMatchObject({ id: 1, result: { transactions: [] } });
    expect(await running.end("SIGTERM")).toMatchObject({ code: 0 });
  });

  test("serves with its workers and dashboard under the permissions of the unit for systemd", async () => {
    const unit = readFileSync(join(root, "deploy/tollgate.service"), "utf8");
    const [data, temporary] = [join(folder, "data"), join(folder, "temporary")];
    for (const each of [data, temporary]) mkdirSync(each);
    const options = (/NODE_OPTIONS=(.*)"$/m.exec(unit)?.[1] ?? "")
      .replaceAll("=/tmp/", `=${temporary}/`)
      .replaceAll("/usr/lib/node_modules/tollgate/", `${installed}/`)
      .replaceAll("/etc/tollgate/", `${project}/`)
      .replaceAll("/var/lib/tollgate/", `${data}/`);
    expect(options.match(/--allow-fs-\w+=\S+/g)).toHaveLength(6);
    const config = {
      server: { host: "127.0.0.1", port: 0, workers: 2 },
      admin: { host: "127.0.0.1", port: 0 },
      console: { host: "127.0.0.1", port: 0, signup: "closed", secret: SECRET },
      storage: { url: `sqlite:${join(data, "tollgate.db")}` },
      networks: [
        { name: "one", family: "evm", upstreams: [{ name: "a", url: "http://127.0.0.1:1" }] },
      ],
    };
    writeFileSync(join(project, "confined.yaml"), stringify(config));
    running = new Running(
      process.execPath,
      [join(installed, "dist/cli.js"), "start", "--config", "confined.yaml"],
      { ...inProject, env: { ...env, NODE_OPTIONS: options, TMPDIR: temporary } },
    );
    const printed = await running.printed(/"msg":"dashboard serves"/);
    const port = (said: string) =>
      new RegExp(`"port":(\\d+)[^\\n]*"msg":"${said}"`).exec(printed)?.[1];
    const page = await fetch(`http://localhost:${port("dashboard serves")}/`);
    expect(page.headers.get("content-type")).toContain("text/html");
    const metrics = await fetch(`http://127.0.0.1:${port("admin port")}/metrics`);
    expect(await metrics.text()).toContain("process_resident_memory_bytes");
    const call = await fetch(`http://127.0.0.1:${port("serving")}/one/v3/nobody`, {
      method: "POST",
    });
    expect(call.status).toBe(401);
    expect(await running.end("SIGTERM")).toMatchObject({ code: 0 });
    expect(running.output).not.toMatch(/ERR_ACCESS_DENIED|"level":[456]0/);
  });

  test("serves a printed curl line in `npx tollgate dev`, and Ctrl-C leaves nothing behind", async () => {
    running = new Running("npx", ["tollgate", "dev"], inProject);
    const printed = await running.printed(/Ctrl-C ends everything/);
    const line = printed.split("\n").find((each) => each.startsWith("curl ")) ?? "";
    const answer = await runShell(line, inProject);
    expect(JSON.parse(answer.stdout)).toEqual({ jsonrpc: "2.0", id: 1, result: "0x7a69" });

    // npx itself ends by the signal, whatever the program's exit code.
    await running.end("SIGINT");
    const addresses = [...printed.matchAll(/^(?:HTTP|Admin) .*?127\.0\.0\.1:(\d+)/gm)];
    const ports = new Set(addresses.map(([, port]) => port));
    expect(ports.size).toBe(2);
    for (const port of ports) expect(await isOpen(Number(port))).toBe(false);
  });

  test("ends with exit code 0 on Ctrl-C", async () => {
    running = new Running("node_modules/.bin/tollgate", ["dev"], inProject);
    await running.printed(/Ctrl-C ends everything/);
    const family = running.family();
    running.signal("SIGINT");
    expect(await running.ended).toMatchObject({ code: 0, signal: null });
    expect(family.filter(isAlive)).toEqual([]);
  });
});

describe("what is missing is said in one line", () => {
  test.skipIf(olderNode === undefined)("by a Node that is too old for it", async () => {
    const command = `"${olderNode}" node_modules/tollgate/dist/cli.js start`;
    const { code, output } = await runShell(command, inProject);
    const line = /^tollgate: Node 24 or newer is needed, and this is Node \d+\.\d+\.\d+\n$/;
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(line) });
  });

  test("by `dev` without the optional packages, which no other command needs", async () => {
    rmSync(join(project, "node_modules/@foundry-rs"), { recursive: true });
    const { code, output } = await runShell("npx tollgate dev", inProject);
    const line =
      /^tollgate: the local chain needs the package @foundry-rs\/anvil-\S+: install without --omit=optional, .*\n$/;
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(line) });
    expect((await runShell("npx tollgate --version", inProject)).code).toBe(0);
  });
});

/** Packages that nobody needs to run the program, and none of its own packages either. */
const isDevelopersOwn = (name: string): boolean =>
  ["vitest", "vite", "typescript", "playwright-core", "anvil", "knip", "smtp-server"].includes(
    name,
  );

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
