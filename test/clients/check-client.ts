import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DevChain, startDevChain } from "../../src/dev/chain.ts";
import { rpc } from "../../src/dev/rpc.ts";
import { GREETING, SENT } from "../../src/dev/samples.ts";
import type { Client, Connect, RevertingCall } from "../outside/client.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

const TWICE_THE_SUPPLY = 2_000_000n * 10n ** 18n;
const LEFT = 1_000_000n * 10n ** 18n - SENT;
const IN_BLOCK_2 = ["legacy", "accessList", "feeMarket", "setCode", "failing", "blob"] as const;

type Transport = "HTTP" | "WebSocket";

/**
 * The questions that every client asks of a gateway before a real chain, once for each transport.
 * What it must see is what the chain was seeded with. `batches`: over which transports the client
 * can send several calls in one message.
 */
export function checkClient(
  name: string,
  connect: Connect,
  { batches }: { readonly batches: readonly Transport[] },
): void {
  let chain: DevChain;
  let gateway: TestGateway;

  beforeAll(async () => {
    chain = await startDevChain({ blockTimeSeconds: 2 });
    const upstreams = [{ name: "anvil", url: chain.node.url }];
    const networks = [{ name: "dev", family: "evm", chainId: 31_337, upstreams }];
    gateway = await startTestGateway({ networks });
  });

  afterAll(async () => {
    await gateway?.stop();
    await chain?.node.stop();
  });

  describe.each([
    ["HTTP", () => gateway.http()],
    ["WebSocket", () => gateway.ws()],
  ] as const)(`${name} over %s`, (transport, url) => {
    let client: Client;

    beforeAll(async () => {
      client = await connect(url());
    });

    afterAll(() => client?.close());

    test("learns the chain's id", async () => {
      expect(await client.chainId()).toBe(31_337);
    });

    test.each(["number", "hash"])("reads a block by %s, hashes or objects in it", async (by) => {
      const { transactions } = chain.samples;
      const { blockHash: hash } = transactions.legacy;
      const at = by === "hash" ? { hash } : { number: 2 };
      const sent = IN_BLOCK_2.map((sample) => transactions[sample]);
      expect(await client.block(at, false)).toEqual({
        number: 2,
        hash,
        transactions: sent.map((transaction) => transaction.hash),
      });
      expect(await client.block(at, true)).toEqual({
        number: 2,
        hash,
        transactions: sent.map(({ hash, type }) => ({ hash, type: Number(type) })),
      });
    });

    test("reads the latest block", async () => {
      const { number, transactions } = await client.block("latest", true);
      expect(number).toBeGreaterThanOrEqual(2);
      expect(transactions).toHaveLength(number === 2 ? IN_BLOCK_2.length : 0);
    });

    test("reads a transaction of each type by its index", async () => {
      for (const sample of Object.values(chain.samples.transactions)) {
        const index = Number(sample.transactionIndex);
        const { hash } = sample;
        expect(await client.transaction(Number(sample.blockNumber), index)).toEqual({
          hash,
          type: Number(sample.type),
          index,
        });
      }
    });

    test("reads the receipt of each", async () => {
      const { transactions, contract } = chain.samples;
      for (const [sample, { hash, type, status }] of Object.entries(transactions)) {
        expect(await client.receipt(hash)).toEqual({
          hash,
          succeeded: status === "0x1",
          type: Number(type),
          contract: sample === "creation" ? contract : null,
          logs: sample === "failing" ? 0 : 1,
        });
      }
    });

    test("reads storage", async () => {
      const { contract, storage } = chain.samples;
      for (const { position, value } of Object.values(storage)) {
        expect(await client.storage(contract, position)).toBe(value);
      }
    });

    test("decodes what a contract returns", async () => {
      const { contract, accounts } = chain.samples;
      expect(await client.greeting(contract)).toBe(GREETING);
      expect(await client.balanceOf(contract, accounts.receiver)).toBe(SENT);
    });

    test("estimates gas as the chain itself does", async () => {
      const { transfer } = chain.samples.calls;
      const estimate = await rpc<string>(chain.node.url, "eth_estimateGas", [transfer]);
      expect(await client.estimateGas(transfer)).toBe(BigInt(estimate));
    });

    test.each([
      ["a reason", { name: "refuse", args: ["not today"] }, "not today"],
      ["a panic", { name: "divide", args: [1n, 0n] }, "Panic(18)"],
    ] as const)("says %s in its own error", async (_, call, expected) => {
      expect(await client.revert({ ...call, ...whereFrom() })).toBe(expected);
    });

    test("says a custom error in its own error", async () => {
      const args = [chain.samples.accounts.receiver, TWICE_THE_SUPPLY];
      expect(await client.revert({ name: "transfer", args, ...whereFrom() })).toBe(
        `InsufficientBalance(${LEFT}, ${TWICE_THE_SUPPLY})`,
      );
    });

    if (!batches.includes(transport)) return;

    test("has its batch answered, each value to its own caller", async () => {
      const { sender } = chain.samples.accounts;
      const balance = await rpc<string>(chain.node.url, "eth_getBalance", [sender, "latest"]);
      const seen = await client.batch?.(sender);
      expect(seen?.values).toEqual({ chainId: 31_337, number: 2, balance: BigInt(balance) });
      expect(seen?.sizes).toContain(3);
    });
  });

  function whereFrom(): Pick<RevertingCall, "from" | "contract"> {
    return { from: chain.samples.accounts.sender, contract: chain.samples.contract };
  }
}
