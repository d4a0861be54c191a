import { afterAll, beforeAll, expect, test } from "vitest";
import { rpc } from "../../src/dev/rpc.ts";
import { type ChainPair, quantity, startChainPair } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { ask, type RpcAnswer } from "./client.ts";

/** Returns the gas that is left: GAS, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN. */
const GAS_LEFT = "0x5a60005260206000f3";
const CODE_AT = "0x00000000000000000000000000000000000000aa";
/** What the opcodes before GAS and the transaction itself cost at most. */
const OVERHEAD = 100_000;
const FAR_ABOVE = "0x7fffffffffffffff";

let pair: ChainPair;
let gateway: TestGateway;
let cap: number;

const nodeUrl = () => pair.nodes[0]?.url ?? "";
const gasLimitNow = async (): Promise<number> => {
  const block = await rpc<{ gasLimit: string }>(nodeUrl(), "eth_getBlockByNumber", [
    "latest",
    false,
  ]);
  return Number(block.gasLimit);
};

beforeAll(async () => {
  pair = await startChainPair({ count: 1, blocks: 1 });
  const upstreams = [{ name: "node", url: nodeUrl() }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 31_337, upstreams }],
  });
  cap = 10 * (await gasLimitNow());
});
afterAll(async () => {
  await gateway?.stop();
  await pair?.stop();
});

const send = async (method: string, params: unknown[]): Promise<RpcAnswer> =>
  (await ask(gateway.http(), { method, params })).body;

/** eth_call of the code that returns the gas that it has. */
async function gasGiven(gas: string | undefined): Promise<number> {
  const call = { to: CODE_AT, ...(gas !== undefined && { gas }) };
  const { result, error } = await send("eth_call", [
    call,
    "latest",
    { [CODE_AT]: { code: GAS_LEFT } },
  ]);
  expect(error).toBeUndefined();
  return Number(result);
}

const aboutCap = (gas: number) => {
  expect(gas).toBeLessThanOrEqual(cap);
  expect(gas).toBeGreaterThan(cap - OVERHEAD);
};

/**
 * As code of a creation it reverts where it has more gas than so much: GAS, PUSH8, LT, PUSH1 15,
 * JUMPI, STOP, JUMPDEST, PUSH1 0, PUSH1 0, REVERT.
 */
const revertsAbove = (gas: number): string =>
  `0x5a67${gas.toString(16).padStart(16, "0")}10600f57005b60006000fd`;

test("the node itself would run a call with far more gas", async () => {
  const call = { to: CODE_AT, gas: FAR_ABOVE };
  const overrides = { [CODE_AT]: { code: GAS_LEFT } };
  const left = await rpc<string>(nodeUrl(), "eth_call", [call, "latest", overrides]);
  expect(Number(left)).toBeGreaterThan(2 * cap);
  for (const method of ["eth_estimateGas", "eth_createAccessList"]) {
    const creation = { data: revertsAbove(cap), gas: FAR_ABOVE };
    await expect(rpc(nodeUrl(), method, [creation, "latest"]), method).rejects.toThrow(/revert/);
  }
});

test("eth_call gets ten times the block's gas limit at most, silently", async () => {
  aboutCap(await gasGiven(FAR_ABOVE));
  aboutCap(await gasGiven(quantity(cap + 1)));
  aboutCap(await gasGiven(quantity(cap)));
  const creation = { data: GAS_LEFT, gas: FAR_ABOVE };
  aboutCap(Number((await send("eth_call", [creation, "latest"])).result));
});

test("gas up to the cap is left as it is", async () => {
  for (const gas of [200_000, cap / 10, cap - 1_000_000]) {
    const given = await gasGiven(quantity(gas));
    expect(given).toBeLessThanOrEqual(gas);
    expect(given).toBeGreaterThan(gas - OVERHEAD);
  }
  expect(await gasGiven(undefined)).toBeGreaterThan(0);
});

test.each(["eth_estimateGas", "eth_createAccessList"])("%s gets no more either", async (method) => {
  const above = { data: revertsAbove(cap), gas: FAR_ABOVE };
  expect((await send(method, [above, "latest"])).error).toBeUndefined();
  // But not less: what reverts with nearly as much still does.
  const below = { data: revertsAbove(cap - OVERHEAD), gas: FAR_ABOVE };
  expect((await send(method, [below, "latest"])).error).toMatchObject({ code: 3 });
});

test("the cap goes with the block gas limit of the head", async () => {
  await rpc(nodeUrl(), "evm_setBlockGasLimit", [quantity(cap / 20)]);
  await pair.mine(1);
  const head = async () => (await send("eth_blockNumber", [])).result;
  await expect.poll(head, { timeout: 15_000 }).toBe(quantity(pair.head()));
  expect(await gasLimitNow()).toBe(cap / 20);
  cap /= 2;
  aboutCap(await gasGiven(FAR_ABOVE));
});
