import { afterEach, beforeEach, expect, test } from "vitest";
import { type SlotWatch, watchSlotsWithKit, watchSlotsWithWeb3 } from "../outside/slot-watchers.ts";
import { type AccountNode, startAccountNode } from "../support/account-node.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { follow, SlotChain } from "../support/slot-chain.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";

const ACCOUNT = "Ci2epbQ62bbXHkS7b8RPbocbYfmKw8P8QUn9kZho3KEo";
const VOTES = "Vote111111111111111111111111111111111111111";
/** The block with this transaction comes so many slots later. */
const AFTER = 3;

let chain: SlotChain;
let node: StandInNode;
let stream: AccountNode;
let gateway: TestGateway;
let watch: SlotWatch;
const ends: (() => Promise<void>)[] = [];

beforeEach(async () => {
  // A transaction of a block that comes later is in none of those before: there are seven in turns.
  chain = new SlotChain(1000, 4);
  node = await startStandInNode();
  follow(node, chain);
  stream = await startAccountNode();
  const upstreams = [{ name: "node", url: node.url, ws: stream.url }];
  gateway = await startTestGateway({ networks: [{ name: "slots", family: "slot", upstreams }] });
  const later = new SlotChain(1000, 4 + AFTER);
  const [transaction] = later.transactions(later.tip);
  const signature = transaction?.transaction.signatures[0] ?? "";
  watch = { http: gateway.http(), ws: gateway.ws(), signature, account: ACCOUNT };
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await gateway?.stop();
  await node?.stop();
  await stream?.stop();
});

function grow(): void {
  chain.advance(1);
  node.slots = chain.slots;
}

/** The chain grows until there is nothing to wait for. */
async function growUntil(isThere: () => boolean): Promise<void> {
  while (!isThere()) {
    grow();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const slotsAfter = (from: number) =>
  Array.from({ length: chain.tip - from }, (_, after) => ({
    slot: from + after + 1,
    parent: from + after,
  }));

test("web3.js tells of slots, logs, a signature, an account, and that a transaction is confirmed", async () => {
  const { heard, confirmed, end } = await watchSlotsWithWeb3(watch);
  ends.push(end);
  await expect.poll(() => stream.open).toBe(1);
  // They subscribe when they like: a slot that all have heard of is where it begins.
  await growUntil(() => heard.slots.length > 0 && heard.signatures.length > 0);
  expect(await confirmed).toBeNull();
  const [first] = heard.slots as { slot: number; parent: number }[];
  const from = first?.parent ?? 0;
  await expect.poll(() => heard.slots).toMatchObject(slotsAfter(from));
  expect(heard.signatures).toEqual([{ slot: 1000 + 3 + AFTER, err: null }]);
  const { slot: logsFrom } = heard.logs[0] as { slot: number };
  const expected = slotsAfter(logsFrom - 1).flatMap(({ slot }) =>
    chain
      .transactions(slot)
      .filter((one) => !JSON.stringify(one).includes(VOTES))
      .map(({ transaction, meta }) => ({
        ...{ slot, signature: transaction.signatures[0] },
        ...{ err: meta.err, logs: meta.logMessages },
      })),
  );
  await expect.poll(() => heard.logs).toEqual(expected);
  stream.tell(
    '{"context":{"slot":7},"value":{"lamports":5,"data":["","base64"],' +
      `"owner":"${ACCOUNT}","executable":false,"rentEpoch":18446744073709551615,"space":0}}`,
  );
  await expect.poll(() => heard.accounts).toEqual([{ slot: 7, lamports: 5 }]);
});

test("kit tells of slots and a signature", async () => {
  const { heard, end } = await watchSlotsWithKit(watch);
  ends.push(end);
  await growUntil(() => heard.signatures.length > 0);
  const [first] = heard.slots as { slot: bigint; parent: bigint }[];
  const from = Number(first?.parent ?? 0);
  await expect.poll(() => heard.slots.length).toBe(chain.tip - from);
  expect(heard.slots).toMatchObject(
    slotsAfter(from).map(({ slot, parent }) => ({ slot: BigInt(slot), parent: BigInt(parent) })),
  );
  expect(heard.signatures).toEqual([
    { context: { slot: BigInt(1000 + 3 + AFTER) }, value: { err: null } },
  ]);
});
