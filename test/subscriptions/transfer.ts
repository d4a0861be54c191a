import { encodeCall } from "../../src/dev/abi.ts";
import { rpc } from "../../src/dev/rpc.ts";
import { CONTRACT } from "../../src/dev/samples.ts";
import type { ChainPair } from "../support/chain-pair.ts";

/** A token transfer, which leaves a log, in a block of its own. Of a chain of one node. */
export async function transfer({ nodes, samples, mine }: ChainPair, amount = 1n): Promise<void> {
  const { sender: from, receiver } = samples.accounts;
  const data = encodeCall("transfer(address,uint256)", [receiver, amount]);
  const sent = { from, to: CONTRACT, data, gas: "0x30d40" };
  await rpc(nodes[0]?.url ?? "", "eth_sendTransaction", [sent]);
  await mine(1);
}
