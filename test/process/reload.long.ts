import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { type DevNode, startAnvil } from "../../src/dev/anvil.ts";
import { rpc } from "../../src/dev/rpc.ts";
import { SECRET } from "../console/support/test-console.ts";
import { StreamClient } from "../subscriptions/stream.ts";
import { createAuthority } from "../support/certificates.ts";
import { childrenOf } from "../support/child-processes.ts";
import { startStandInNode } from "../support/stand-in-node.ts";
import {
  makeKey,
  openWorkplace,
  type Started,
  type Workplace,
} from "../support/started-gateway.ts";

const CHAIN_ID = 31_337;

let anvil: DevNode;
beforeAll(async () => {
  anvil = await startAnvil();
  await rpc(anvil.url, "evm_setIntervalMining", [1]);
});
afterAll(() => anvil?.stop());

type Upstream = { readonly name: string; readonly url: string; readonly ws?: string };
type NetworkFile = { readonly name: string; readonly upstreams: readonly Upstream[] };

const first = (): Upstream => ({ name: "first", url: anvil.url, ws: anvil.wsUrl });
const second = (): Upstream => ({ name: "second", url: anvil.url });
const network = (name: string, ...upstreams: readonly Upstream[]): NetworkFile => ({
  name,
  upstreams,
});

const fileOf = (networks: readonly object[], rest: object = {}) => ({
  server: { port: 0, workers: 1 },
  admin: { port: 0 },
  storage: { url: "sqlite:./tollgate.db" },
  // What was replaced ends while the test still looks.
  networks: networks.map((one) => ({
    ...{ family: "evm", chainId: CHAIN_ID, timeoutMs: 1000 },
    ...one,
  })),
  ...rest,
});

let workplace: Workplace | undefined;
afterEach(async () => {
  await workplace?.clear();
  workplace = undefined;
});

type Gateway = Started & { readonly key: string; readonly work: Workplace };

async function start(workers: number, rest: object = {}): Promise<Gateway> {
  const server = { port: 0, workers };
  const work = await openWorkplace(fileOf([network("main", first())], { server, ...rest }));
  workplace = work;
  const key = await makeKey(work);
  return { ...(await work.start()), key, work };
}

type Answer = { readonly status: number; readonly body: Record<string, unknown> };

async function call({ origin, key }: Gateway, name: string): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${origin}/${name}/v3/${key}`, { method: "POST", headers, body });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

async function reload({ admin }: Gateway): Promise<Answer> {
  const response = await fetch(`${admin}/reload`, { method: "POST" });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

const write = ({ work }: Gateway, file: object): Promise<void> =>
  writeFile(work.file, stringify(file));

const connect = ({ origin, key }: Gateway, name: string) =>
  StreamClient.open(`${origin.replace("http", "ws")}/${name}/ws/v3/${key}`);

async function serialOf(port: number): Promise<string> {
  const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

const upstreamsOf = async ({ admin }: Gateway): Promise<Record<string, string[]>> => {
  const { networks } = (await (await fetch(`${admin}/networks`)).json()) as {
    readonly networks: readonly NetworkFile[];
  };
  return Object.fromEntries(
    networks.map(({ name, upstreams }) => [name, upstreams.map((one) => one.name)]),
  );
};

describe.each([1, 2])("a reload of a gateway with %d workers", (workers) => {
  test("adds a node and a network, and its sockets and subscriptions go on", async () => {
    const gateway = await start(workers);
    const socket = await connect(gateway, "main");
    await socket.subscribe("newHeads");
    await expect.poll(() => socket.told.length).toBeGreaterThan(1);

    await write(gateway, fileOf([network("main", first(), second()), network("new", second())]));
    expect(await reload(gateway)).toEqual({
      status: 200,
      body: { reloaded: true, needsRestart: workers === 1 ? [] : ["server.workers"] },
    });
    expect(await upstreamsOf(gateway)).toEqual({ main: ["first", "second"], new: ["second"] });
    expect((await call(gateway, "new")).body["result"]).toMatch(/^0x/);
    const told = socket.told.length;
    await expect.poll(() => socket.told.length).toBeGreaterThan(told + 5);
    const nobody = [`0x${"11".repeat(20)}`, "latest"];
    expect(await socket.ask("eth_getBalance", nobody)).toMatchObject({ result: "0x0" });
    expect((await call(gateway, "main")).body["result"]).toMatch(/^0x/);
    const heads = socket.told.map(({ result }) => Number(result["number"]));
    expect(heads).toEqual(heads.map((_, index) => (heads[0] ?? 0) + index));
    socket.end();
  });

  test("takes a network away: its sockets are closed with 1001, others stay", async () => {
    const gateway = await start(workers);
    await write(gateway, fileOf([network("main", first()), network("old", second())]));
    await reload(gateway);
    const [main, old] = [await connect(gateway, "main"), await connect(gateway, "old")];
    await write(gateway, fileOf([network("main", first())]));
    expect((await reload(gateway)).status).toBe(200);
    expect(await old.closed).toMatchObject({ code: 1001 });
    expect((await call(gateway, "old")).status).toBe(404);
    expect(await main.ask("eth_chainId", [])).toMatchObject({ result: "0x7a69" });
    const metrics = await (await fetch(`${gateway.admin}/metrics`)).text();
    expect(metrics).toMatch(/tollgate_upstream_ready\{[^}]*network="main"/);
    expect(metrics).not.toMatch(/tollgate_upstream_ready\{[^}]*network="old"/);
    main.end();
  });

  test("of a faulty file, or of one whose nodes do not answer, changes nothing and says what is wrong", async () => {
    const gateway = await start(workers);
    const before = await upstreamsOf(gateway);
    const { body: faulty } = await (async () => {
      await write(gateway, fileOf([{ ...network("main", first()), upstream: [] } as NetworkFile]));
      return reload(gateway);
    })();
    expect(faulty).toMatchObject({
      reloaded: false,
      faults: [{ path: "networks[0].upstream", line: expect.any(Number) }],
    });
    const dead = { name: "dead", url: "http://127.0.0.1:9" };
    await write(gateway, fileOf([network("main", dead)]));
    const { status, body } = await reload(gateway);
    expect(status).toBe(422);
    expect(body["faults"]).toEqual([
      {
        path: "networks.main",
        line: 0,
        message: expect.stringMatching(/^no upstream has told of block \d+ within 5 s \(dead: /),
      },
    ]);
    expect(await upstreamsOf(gateway)).toEqual(before);
    expect((await call(gateway, "main")).status).toBe(200);
    const command = await gateway.work.run("reload");
    expect(command.code).toBe(1);
  });
});

describe("a reload", () => {
  test("changes plans and the log's level, and says what needs a restart", async () => {
    const plans = { small: { dailyCredits: 100, creditsPerSecond: 100 } };
    const gateway = await start(1, { plans });
    await gateway.work.run("accounts", "set-plan", "ada@example.com", "small");
    await expect.poll(async () => (await call(gateway, "main")).status).toBe(402);
    const richer = { small: { dailyCredits: 100_000, creditsPerSecond: 1000 } };
    const file = fileOf([network("main", first())], {
      plans: richer,
      log: { level: "debug" },
      keys: { memoryBytes: 1_000_000 },
    });
    await write(gateway, file);
    expect((await reload(gateway)).body["needsRestart"]).toEqual(["keys.memoryBytes"]);
    await expect.poll(async () => (await call(gateway, "main")).status).toBe(200);
  });

  test.each([1, 2])(
    "gives new connections the certificate of other files, and refuses files that are none (workers: %d)",
    async (workers) => {
      const authority = createAuthority();
      const tls = (name: string) => ({
        server: { port: 0, workers, tls: { cert: `${name}.pem`, key: `${name}.key` } },
      });
      const work = await openWorkplace(fileOf([network("main", first())], tls("one")));
      workplace = work;
      for (const name of ["one", "two"]) {
        const pair = authority.issue();
        await writeFile(join(work.folder, `${name}.pem`), pair.cert);
        await writeFile(join(work.folder, `${name}.key`), pair.key);
      }
      await writeFile(join(work.folder, "bad.pem"), "no certificate");
      await writeFile(join(work.folder, "bad.key"), "no key");
      const gateway = { ...(await work.start()), key: "", work };
      const before = await serialOf(gateway.port);
      await write(gateway, fileOf([network("main", first())], tls("bad")));
      expect((await reload(gateway)).body["faults"]).toMatchObject([{ path: "server.tls" }]);
      expect(await serialOf(gateway.port)).toBe(before);
      await write(gateway, fileOf([network("main", first())], tls("two")));
      expect((await reload(gateway)).body).toEqual({ reloaded: true, needsRestart: [] });
      expect(await serialOf(gateway.port)).not.toBe(before);
    },
  );

  test("starts the dashboard again where it shows something else then, on the same port", async () => {
    const console = { port: 0, signup: "closed", secret: SECRET };
    const gateway = await start(1, { console });
    const serves = () => [
      ...gateway.process.output().matchAll(/"port":(\d+),"pid":(\d+),"msg":"dashboard serves"/g),
    ];
    await expect.poll(() => serves().length).toBe(1);
    const file = (...upstreams: readonly Upstream[]) =>
      fileOf([network("main", ...upstreams)], { console });
    await write(gateway, file(first(), second()));
    expect((await reload(gateway)).body["needsRestart"]).toEqual([]);
    const plans = { mine: { dailyCredits: 1, creditsPerSecond: 1 } };
    await write(gateway, { ...file(first(), second()), plans });
    expect((await reload(gateway)).body["needsRestart"]).toEqual([]);
    await expect.poll(() => serves().length).toBe(2);
    const [[, port, pid] = [], [, samePort, otherPid] = []] = serves();
    expect(samePort).toBe(port);
    expect(otherPid).not.toBe(pid);
    expect(gateway.process.output()).not.toContain("dashboard ended");
  });

  test.each(["before", "while"])(
    "reaches a worker that was killed %s it, and the one that takes its place",
    async (when) => {
      const gateway = await start(2);
      await write(gateway, fileOf([network("main", first()), network("new", second())]));
      const [worker = 0] = childrenOf(gateway.process.pid);
      const kill = () => process.kill(worker, "SIGKILL");
      if (when === "before") kill();
      const reloaded = reload(gateway);
      if (when === "while") kill();
      expect((await reloaded).status).toBe(200);
      const serves = () => gateway.process.output().match(/"msg":"worker serves"/g)?.length ?? 0;
      await expect.poll(serves).toBeGreaterThanOrEqual(3);
      // Connections are dealt out in turn.
      const asked = () =>
        Promise.all(
          Array.from({ length: 4 }, async () => {
            const socket = await connect(gateway, "new").catch(() => undefined);
            socket?.end();
            return socket !== undefined;
          }),
        );
      await expect.poll(asked).toEqual([true, true, true, true]);
      expect(await asked()).toEqual([true, true, true, true]);
    },
  );

  test("does not take away a plan that accounts are on", async () => {
    const plans = { small: { dailyCredits: 100_000, creditsPerSecond: 1000 } };
    const gateway = await start(1, { plans });
    await gateway.work.run("accounts", "set-plan", "ada@example.com", "small");
    await write(gateway, fileOf([network("main", first())]));
    expect((await reload(gateway)).body["faults"]).toEqual([
      {
        path: "plans.small",
        line: 0,
        message: "1 accounts are on this plan; give them another one before it is removed",
      },
    ]);
  });

  test("does not put nodes of another chain in the place of those before", async () => {
    const gateway = await start(1);
    const other = await startStandInNode(() => ({ result: "0x7" }), 5);
    other.head = 1_000_000;
    try {
      const moved = network("main", { name: "other", url: other.url });
      await write(gateway, fileOf([{ ...moved, chainId: 5 }]));
      expect((await reload(gateway)).body["needsRestart"]).toEqual([
        "networks[0].chainId",
        "networks[0].upstreams[0].name",
        "networks[0].upstreams[0].url",
        "networks[0].upstreams[0].ws",
      ]);
      expect(await upstreamsOf(gateway)).toEqual({ main: ["first"] });
    } finally {
      await other.stop();
    }
  });

  test("finds that out where the file names no chain", async () => {
    const own = { ...network("main", first()), chainId: undefined };
    const work = await openWorkplace(fileOf([own]));
    workplace = work;
    const gateway = { ...(await work.start()), key: await makeKey(work), work };
    expect((await call(gateway, "main")).status).toBe(200);
    const other = await startStandInNode(() => ({ result: "0x7" }), 5);
    other.head = 1_000_000;
    try {
      const moved = network("main", { name: "other", url: other.url });
      await write(gateway, fileOf([{ ...moved, chainId: undefined }]));
      expect((await reload(gateway)).body["faults"]).toMatchObject([
        {
          path: "networks.main",
          message: expect.stringMatching(/^its nodes are of another chain/),
        },
      ]);
      expect(await upstreamsOf(gateway)).toEqual({ main: ["first"] });
    } finally {
      await other.stop();
    }
  });

  test("comes with SIGHUP too, and `tollgate reload` says what came of it", async () => {
    const gateway = await start(1);
    await write(gateway, fileOf([network("main", first(), second())]));
    gateway.process.kill("SIGHUP");
    await gateway.process.says(/"msg":"configuration reloaded"/);
    expect(await upstreamsOf(gateway)).toEqual({ main: ["first", "second"] });

    const port = Number(new URL(gateway.admin).port);
    const text = await readFile(gateway.work.file, "utf8");
    await writeFile(
      gateway.work.file,
      text.replace(/admin:\n {2}port: 0/, `admin:\n  port: ${port}`),
    );
    const { code, stdout } = await gateway.work.run("reload");
    expect([code, stdout]).toEqual([
      0,
      "reloaded\nthese take effect when the gateway is started again: admin.port\n",
    ]);
  });
});
