import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { Running, run, userEnvironment } from "../support/shell.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { recordKey, temporaryFolder } from "../support/written.ts";

/** Without a daemon, and a registry of images, the steps of the Dockerfile are done by hand. */
const FILE = readFileSync("deploy/Dockerfile", "utf8");
const IMAGE_USER = 65_532;
const root = temporaryFolder("image");
const env = userEnvironment(root);

/** The words of a step that is written as JSON. */
const wordsOf = (name: string): readonly string[] =>
  JSON.parse(new RegExp(`^${name} .*?(\\[.*\\])$`, "m").exec(FILE)?.[1] ?? "[]");
const install = /^RUN (npm install .*)$/m.exec(FILE)?.[1] ?? "";

/** The base of the image has them too. */
function copyNode(): void {
  const [, ...words] = wordsOf("ENTRYPOINT");
  expect(words).toHaveLength(1);
  const node = join(root, "nodejs/bin/node");
  mkdirSync(dirname(node), { recursive: true });
  copyFileSync(process.execPath, node);
  const { stdout } = spawnSync("ldd", [process.execPath]);
  for (const [library] of String(stdout).matchAll(/\/\S+\.so\S*/g)) {
    mkdirSync(join(root, dirname(library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
}

const QUOTED = `'${root}'`;
/** Its files are read-only, but those of `/data` and `/tmp`; the user is the image's, without any rights. */
const ENTER = [
  `mount --bind ${QUOTED} ${QUOTED}`,
  `mount --bind ${QUOTED}/data ${QUOTED}/data`,
  `mount -o remount,bind,ro ${QUOTED}`,
  `mount -t tmpfs tmpfs ${QUOTED}/tmp`,
  `mount -t proc proc ${QUOTED}/proc`,
  `cd ${QUOTED}/data`,
  `exec setpriv --no-new-privs chroot --userspec=${IMAGE_USER}:${IMAGE_USER} ${QUOTED} "$@"`,
].join(" && ");

const inImage = (words: readonly string[]): readonly string[] => [
  ...["--mount", "sh", "-c", ENTER, "sh", ...words],
];
const tollgate = (...words: readonly string[]) =>
  inImage([...wordsOf("ENTRYPOINT"), ...words, "--config", "/etc/tollgate/tollgate.yaml"]);

/** Whether this machine lets a test mount what an image has mounted. */
const canEnter =
  process.getuid?.() === 0 &&
  spawnSync("unshare", [
    "--mount",
    "sh",
    "-c",
    "mount -t tmpfs none /mnt && mount -t proc proc /mnt",
  ]).status === 0;

describe.skipIf(!canEnter)("the image", () => {
  let node: StandInNode;
  let running: Running | undefined;
  beforeAll(async () => {
    node = await startStandInNode(() => ({ result: "0x7" }));
    for (const folder of ["app", "data", "tmp", "proc", "etc/tollgate"]) {
      mkdirSync(join(root, folder), { recursive: true });
    }
    chownSync(join(root, "data"), IMAGE_USER, IMAGE_USER);
    // The image's user looks into it, and nobody else can: the folder that it is in is the tests' own.
    chmodSync(root, 0o755);
    const packed = await run("npm", ["pack", "--silent", "--pack-destination", join(root, "tmp")], {
      env,
    });
    expect(packed.code, packed.output).toBe(0);
    const command = install.replaceAll(/(?<= )\/(app|tmp)\b/g, (_, name) => `${root}/${name}`);
    expect(command).toContain("--omit=optional");
    const installed = await run("sh", ["-c", `${command} --prefer-offline`], { env, cwd: root });
    expect(installed.code, installed.output).toBe(0);
    copyNode();
    const file = {
      server: { host: "127.0.0.1", port: 0, workers: 2 },
      admin: { port: 0 },
      storage: { url: "sqlite:/data/tollgate.db" },
      networks: [
        { name: "net", family: "evm", chainId: 1, upstreams: [{ name: "a", url: node.url }] },
      ],
    };
    writeFileSync(join(root, "etc/tollgate/tollgate.yaml"), stringify(file));
  }, 180_000);
  afterAll(async () => {
    running?.signal("SIGKILL");
    await running?.ended;
    await node?.stop();
    // Two hundred megabytes that nothing here has written.
    for (const folder of ["app", "nodejs", "lib", "lib64", "usr"]) {
      rmSync(join(root, folder), { recursive: true, force: true });
    }
  });

  test("holds no optional package", () => {
    expect(existsSync(join(root, "app/node_modules/fastify"))).toBe(true);
    expect(existsSync(join(root, "app/node_modules/@foundry-rs"))).toBe(false);
  });

  test("serves as a user without rights on a read-only root, and its health check says so", async () => {
    const owner = "image@example.com";
    const account = await run("unshare", tollgate("accounts", "create", owner, "--plan", "team"));
    expect(account.code, account.output).toBe(0);
    const words = ["keys", "create", "--account", owner, "--name", "one", "--json"];
    const { key } = JSON.parse((await run("unshare", tollgate(...words))).stdout);
    recordKey(key);

    const [command = ""] = wordsOf("CMD");
    running = new Running("unshare", tollgate(command), { env, cwd: root });
    const printed = await running.printed(/"msg":"admin port"/);
    const portOf = (said: string) =>
      new RegExp(`"port":(\\d+)[^\\n]*"msg":"${said}"`).exec(printed)?.[1] ?? "";
    const answer = await fetch(`http://127.0.0.1:${portOf("serving")}/net/v3/${key}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_gasPrice", params: [] }),
    });
    expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 1, result: "0x7" });
    const check = wordsOf("HEALTHCHECK").map((word) =>
      word.replace("127.0.0.1:9545", `127.0.0.1:${portOf("admin port")}`),
    );
    expect((await run("unshare", inImage(check))).code).toBe(0);
    expect(await running.end("SIGTERM")).toMatchObject({ code: 0 });
    expect(running.output).not.toMatch(/EROFS|EACCES|"level":[456]0/);
    expect((await run("unshare", inImage(check))).code).toBe(1);
  });
});
