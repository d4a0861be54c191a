import type { FoundNode } from "./find-node.ts";

/** What people call the chains that are served most. */
const NAMES: ReadonlyMap<number | string, string> = new Map<number | string, string>([
  [1, "mainnet"],
  [10, "optimism"],
  [56, "bsc"],
  [100, "gnosis"],
  [137, "polygon"],
  [8453, "base"],
  [17_000, "holesky"],
  [31_337, "dev"],
  [42_161, "arbitrum"],
  [43_114, "avalanche"],
  [59_144, "linea"],
  [534_352, "scroll"],
  [560_048, "hoodi"],
  [11_155_111, "sepolia"],
  ["5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d", "solana"],
  ["EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG", "solana-devnet"],
  ["4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY", "solana-testnet"],
]);

/** A name for the network of a chain. */
export function networkName({ chain }: Pick<FoundNode, "chain">): string {
  const known = NAMES.get(chain);
  if (known !== undefined) return known;
  return typeof chain === "number" ? `chain-${chain}` : `slots-${chain.slice(0, 8).toLowerCase()}`;
}
