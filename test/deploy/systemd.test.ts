import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { openWorkplace, type Workplace } from "../support/started-gateway.ts";
import { temporaryFolder } from "../support/written.ts";

const UNIT = "deploy/tollgate.service";
/** Of ten times what systemd calls exposure: below 2.0 is its best word. */
const MOST_EXPOSURE = "20";
/** server.shutdownTimeoutMs by default, and what a worker has to write afterwards. */
const STOP_SECONDS = 10 + 5;

const has = (command: string): boolean => spawnSync(command, ["--version"]).status === 0;
/** Node stands elsewhere on this machine. */
const here = join(temporaryFolder("unit"), "tollgate.service");
writeFileSync(here, readFileSync(UNIT, "utf8").replace("=/usr/bin/node ", `=${process.execPath} `));
const analyze = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync("systemd-analyze", [...args, here]);
  return { status, output: `${stdout}${stderr}` };
};
const setting = (name: string): string | undefined =>
  new RegExp(`^${name}=(.*)$`, "m").exec(readFileSync(UNIT, "utf8"))?.[1];

describe.skipIf(!has("systemd-analyze"))("systemd", () => {
  test("finds no fault in the unit", () => {
    expect(analyze("verify")).toEqual({ status: 0, output: "" });
  });

  test("finds it well closed in", () => {
    const { status, output } = analyze(
      "security",
      "--offline=true",
      `--threshold=${MOST_EXPOSURE}`,
    );
    expect(status, output).toBe(0);
  });
});

test("the unit leaves the gateway the time to end by itself, and has it reload with SIGHUP", () => {
  expect(Number(setting("TimeoutStopSec"))).toBeGreaterThan(STOP_SECONDS);
  expect(setting("ExecReload")).toContain("kill -HUP $MAINPID");
  expect([setting("Type"), setting("NotifyAccess")]).toEqual(["notify", "all"]);
});

/** What systemd does with the messages of a unit: prints each of them. */
const LISTENER = `
import os, socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
print("listening", flush=True)
while True:
    data, fds, _, _ = socket.recv_fds(listener, 4096, 4)
    print(data.decode(), flush=True)
    for fd in fds:
        os.close(fd)
`;

describe.skipIf(!has("systemd-notify") || !has("python3"))("under systemd", () => {
  let node: StandInNode | undefined;
  let workplace: Workplace | undefined;
  let listener: ChildProcess | undefined;
  afterEach(async () => {
    await workplace?.clear();
    await node?.stop();
    listener?.kill("SIGKILL");
  });

  test("a gateway tells when it serves and when it stops", async () => {
    node = await startStandInNode();
    workplace = await openWorkplace({
      server: { port: 0 },
      admin: { port: 0 },
      storage: { url: "sqlite:./tollgate.db" },
      networks: [
        { name: "net", family: "evm", chainId: 1, upstreams: [{ name: "a", url: node.url }] },
      ],
    });
    const socket = join(workplace.folder, "notify");
    let told = "";
    const receiver = spawn("python3", ["-c", LISTENER, socket]);
    listener = receiver;
    receiver.stdout.on("data", (text) => {
      told += text;
    });
    await expect.poll(() => told).toBe("listening\n");
    const gateway = await workplace.start({
      command: ([file = "", ...args]) => ["env", `NOTIFY_SOCKET=${socket}`, file, ...args],
    });
    await expect.poll(() => told).toContain("READY=1");
    expect(told).not.toContain("STOPPING=1");
    gateway.process.kill("SIGTERM");
    expect((await gateway.process.ended).code).toBe(0);
    await expect.poll(() => told).toContain("STOPPING=1");
    expect(gateway.process.output()).not.toContain("systemd-notify");
  });
});
