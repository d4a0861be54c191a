import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/written.ts";
import { DEV_CHAIN_ID, lookForAnvil, startAnvil } from "./anvil.ts";
import { rpc } from "./rpc.ts";

const ties = spawnSync("setpriv", ["--pdeathsig", "TERM", "true"]).status === 0;

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("the anvil process", () => {
  test("answers once it is started, as the chain that it should be", async () => {
    const node = await startAnvil();
    onTestFinished(node.stop);
    expect(await rpc(node.url, "eth_chainId")).toBe(`0x${DEV_CHAIN_ID.toString(16)}`);
    expect(await rpc(node.url, "eth_blockNumber")).toBe("0x0");
    expect(node.wsUrl).toBe(node.url.replace("http", "ws"));
  });

  test("is gone after stop(), which can be called again", async () => {
    const node = await startAnvil();
    expect(lives(node.pid)).toBe(true);
    await Promise.all([node.stop(), node.stop()]);
    expect(lives(node.pid)).toBe(false);
    // By itself, or, where the signal came before anvil listens to it, by the signal.
    expect(["exit code 0", "signal SIGTERM"]).toContain(await node.ended);
    await node.stop();
  });

  test("that ends by itself is reported", async () => {
    const node = await startAnvil();
    process.kill(node.pid, "SIGKILL");
    expect(await node.ended).toBe("signal SIGKILL");
    await node.stop();
  });

  test("leaves no listener behind", async () => {
    const before = process.listenerCount("exit");
    const node = await startAnvil();
    expect(process.listenerCount("exit")).toBe(before + 1);
    await node.stop();
    expect(process.listenerCount("exit")).toBe(before);
  });

  test("that cannot start gives its own reason", async () => {
    const stateDir = temporaryFolder("anvil");
    writeFileSync(join(stateDir, "chain.json"), "{");
    await expect(startAnvil({ stateDir })).rejects.toThrow(/did not start: .*chain\.json/s);
  });

  test("a platform that anvil is not made for is named", () => {
    expect(lookForAnvil("aix", "ppc64")).toEqual({
      fault: expect.stringMatching(
        /^the local chain needs the package @foundry-rs\/anvil-aix-ppc64: /,
      ),
    });
  });
});

describe("the end of the process that started it", () => {
  const start = async (then: string, env?: Record<string, string>) => {
    const anvil = new URL("./anvil.ts", import.meta.url).href;
    const script = `import { startAnvil } from ${JSON.stringify(anvil)};
      const { pid } = await startAnvil(); process.stdout.write(String(pid)); ${then}`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "ignore"],
      ...(env && { env }),
    });
    const [pid] = await once(parent.stdout, "data");
    onTestFinished(() => {
      if (lives(Number(pid))) process.kill(Number(pid), "SIGKILL");
      parent.kill("SIGKILL");
    });
    return { parent, pid: Number(pid) };
  };

  test.for(["process.exit(0)", "throw new Error()"])(
    "by %s ends anvil too, without setpriv",
    async (end) => {
      const env = { PATH: "/nonexistent" };
      const { pid } = await start(`setTimeout(() => { ${end} }, 50)`, env);
      expect(lives(pid)).toBe(true);
      await expect.poll(() => lives(pid), { timeout: 5000 }).toBe(false);
    },
  );

  test.skipIf(!ties)("by SIGKILL ends anvil too, where setpriv is there", async () => {
    const { parent, pid } = await start("");
    parent.kill("SIGKILL");
    await expect.poll(() => lives(pid), { timeout: 5000 }).toBe(false);
  });

  test.skipIf(process.platform !== "linux")(
    "by Ctrl-C does not reach anvil before the gateway: it has a process group of its own",
    async () => {
      const node = await startAnvil();
      onTestFinished(node.stop);
      const fields = readFileSync(`/proc/${node.pid}/stat`, "utf8").split(") ")[1]?.split(" ");
      expect(fields?.[2]).toBe(String(node.pid));
    },
  );
});
