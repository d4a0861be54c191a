import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/written.ts";
import { startAnvil } from "./anvil.ts";
import { startDevChain } from "./chain.ts";
import { rpc } from "./rpc.ts";

const head = async (url: string) => Number(await rpc(url, "eth_blockNumber"));

function keptFolder(): string {
  return join(temporaryFolder("chain"), "deep", "chain");
}

test("blocks come by themselves after the samples", async () => {
  const { node } = await startDevChain({ blockTimeSeconds: 1 });
  onTestFinished(node.stop);
  const first = await head(node.url);
  await expect.poll(() => head(node.url), { timeout: 5000 }).toBeGreaterThan(first);
});

test("the last 64 blocks' state can be read, and nothing is written for older ones", async () => {
  const { node, samples } = await startDevChain({ blockTimeSeconds: 60 });
  onTestFinished(node.stop);
  await rpc(node.url, "anvil_mine", ["0x64"]);
  const newest = await head(node.url);
  const balance = (block: number) =>
    rpc(node.url, "eth_getBalance", [samples.contract, `0x${block.toString(16)}`]);
  expect(await balance(newest - 60)).toBe("0x0");
  await expect(balance(newest - 70)).rejects.toThrow("BlockOutOfRange");
  const { number } = await rpc<{ number: string }>(node.url, "eth_getBlockByNumber", [
    "finalized",
    false,
  ]);
  expect(Number(number)).toBe(newest - 32);
});

test("a kept chain is continued, not seeded twice", async () => {
  const stateDir = keptFolder();
  const first = await startDevChain({ stateDir, blockTimeSeconds: 1 });
  onTestFinished(first.node.stop);
  await expect.poll(() => head(first.node.url), { timeout: 5000 }).toBeGreaterThan(2);
  const kept = await head(first.node.url);
  await first.node.stop();

  const second = await startDevChain({ stateDir, blockTimeSeconds: 1 });
  onTestFinished(second.node.stop);
  expect(second.samples).toEqual(first.samples);
  const { sender, delegated } = second.samples.accounts;
  expect(await rpc(second.node.url, "eth_getTransactionCount", [sender, "latest"])).toBe("0x6");
  expect(await rpc(second.node.url, "eth_getCode", [delegated, "latest"])).toMatch(/^0xef0100/);
  for (const { position, value } of Object.values(second.samples.storage)) {
    const params = [second.samples.contract, position, "latest"];
    expect(await rpc(second.node.url, "eth_getStorageAt", params)).toBe(value);
  }
  await expect.poll(() => head(second.node.url), { timeout: 5000 }).toBeGreaterThan(kept);
});

test("a kept chain of another origin is refused with a way out, and its process ends", async () => {
  const stateDir = keptFolder();
  const other = await startAnvil({ stateDir });
  onTestFinished(other.stop);
  await rpc(other.url, "evm_mine");
  await other.stop();
  const listeners = process.listenerCount("exit");
  const start = startDevChain({ stateDir, blockTimeSeconds: 1 });
  await expect(start).rejects.toThrow(/cannot be used; delete it or name another/);
  expect(process.listenerCount("exit")).toBe(listeners);
});
