import { privateKeyToAccount } from "viem/accounts";

/** anvil's, hardhat's and every development chain's first account. */
const account = privateKeyToAccount(
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
);
export const SENDER = account.address.toLowerCase();

export type Unsigned = {
  readonly type: "legacy" | "eip2930" | "eip1559";
  /** Absent: a creation. */
  readonly to?: string;
  readonly data: string;
  readonly gas: number;
  readonly accessList?: readonly { readonly address: string; readonly storageKeys: string[] }[];
};

/** Signed in this order, the first with nonce 0, each at 2 gwei: what eth_sendRawTransaction takes. */
export function signAll(chainId: number, transactions: readonly Unsigned[]): Promise<string[]> {
  const signed = transactions.map(({ type, to, data, gas, accessList }, nonce) => {
    const price = 2_000_000_000n;
    const fees =
      type === "eip1559" ? { maxFeePerGas: price, maxPriorityFeePerGas: 1n } : { gasPrice: price };
    const common = { type, nonce, gas: BigInt(gas), data, to, accessList, chainId, ...fees };
    return account.signTransaction(common as Parameters<typeof account.signTransaction>[0]);
  });
  return Promise.all(signed);
}
