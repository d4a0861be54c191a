import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { ask } from "./client.ts";

const ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

let pair: ChainPair;
let gateway: TestGateway;

beforeAll(async () => {
  pair = await startChainPair({ count: 1 });
  const upstreams = [{ name: "node", url: pair.nodes[0]?.url }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 31_337, upstreams }],
  });
});
afterAll(async () => {
  await gateway?.stop();
  await pair?.stop();
});

async function keysOf(keys: readonly string[]): Promise<unknown> {
  const call = { method: "eth_getProof", params: [ACCOUNT, keys, "0x0"] };
  const { body } = await ask(gateway.http(), call);
  const { storageProof } = body.result as { storageProof: readonly { key: string }[] };
  return storageProof.map(({ key }) => key);
}

// anvil refuses each of these but the last one.
test("storage keys of eth_getProof are answered as the client wrote them, kept or not", async () => {
  const word = `0x${"0".repeat(63)}A`;
  for (const keys of [["0x0"], ["0x00"], ["0"], ["0xA"], ["0xa", "0x0a", "0xA", word], [word]]) {
    expect(await keysOf(keys)).toEqual(keys);
    expect(await keysOf(keys)).toEqual(keys);
  }
  expect(await keysOf([])).toEqual([]);
});
