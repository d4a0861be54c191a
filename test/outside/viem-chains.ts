import { type Chain, createPublicClient, type Hex, http } from "viem";
import { celo, zksync } from "viem/chains";

/** What such a chain's call objects have beside those of Ethereum. */
export type ChainCalls = {
  readonly call: (to: string) => Promise<string | undefined>;
  readonly estimateGas: (to: string) => Promise<bigint>;
};

const of = (url: string, chain: Chain, own: object): ChainCalls => {
  const client = createPublicClient({ chain, transport: http(url) });
  // The types of the members belong to the chain; the client is of any.
  const asked = (to: string) => ({ to: to as Hex, data: "0x12" as const, ...own });
  return {
    call: async (to) => (await client.call(asked(to))).data,
    estimateGas: (to) => client.estimateGas({ account: asked(to).to, ...asked(to) }),
  };
};

/** viem's celo chain, which names the currency of the fee. */
export const celoCalls = (url: string, feeCurrency: string): ChainCalls =>
  of(url, celo, { feeCurrency });

/** viem's zkSync chain, which puts members of its own transactions into `eip712Meta`. */
export const zksyncCalls = (url: string, own: object): ChainCalls => of(url, zksync, own);
