import type { Path } from "./faults.ts";
import { at, items } from "./issues.ts";
import type { Finding, Source } from "./source.ts";

/** A company that runs nodes: how it addresses them, and what it calls each chain. */
type Provider = {
  readonly url: (network: string, key: string) => string;
  /** By chain id, or by the genesis hash of a slot network; a chain that is missing needs `network`. */
  readonly networks: Readonly<Record<string, string>>;
};

/** Solana's mainnet and devnet. */
const [MAINNET, DEVNET] = [
  "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
  "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
];

/** As their documentation says; a test calls each by its form. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  infura: {
    url: (network, key) => `https://${network}.infura.io/v3/${key}`,
    networks: {
      1: "mainnet",
      10: "optimism-mainnet",
      56: "bsc-mainnet",
      97: "bsc-testnet",
      137: "polygon-mainnet",
      204: "opbnb-mainnet",
      300: "zksync-sepolia",
      324: "zksync-mainnet",
      5000: "mantle-mainnet",
      5003: "mantle-sepolia",
      5611: "opbnb-testnet",
      8453: "base-mainnet",
      42161: "arbitrum-mainnet",
      42220: "celo-mainnet",
      43113: "avalanche-fuji",
      43114: "avalanche-mainnet",
      59141: "linea-sepolia",
      59144: "linea-mainnet",
      80002: "polygon-amoy",
      81457: "blast-mainnet",
      84532: "base-sepolia",
      421614: "arbitrum-sepolia",
      534351: "scroll-sepolia",
      534352: "scroll-mainnet",
      560048: "hoodi",
      11155111: "sepolia",
      11155420: "optimism-sepolia",
      [MAINNET]: "solana-mainnet",
      [DEVNET]: "solana-devnet",
    },
  },
  alchemy: {
    url: (network, key) => `https://${network}.g.alchemy.com/v2/${key}`,
    networks: {
      1: "eth-mainnet",
      10: "opt-mainnet",
      56: "bnb-mainnet",
      97: "bnb-testnet",
      100: "gnosis-mainnet",
      130: "unichain-mainnet",
      137: "polygon-mainnet",
      143: "monad-mainnet",
      146: "sonic-mainnet",
      204: "opbnb-mainnet",
      300: "zksync-sepolia",
      324: "zksync-mainnet",
      480: "worldchain-mainnet",
      1329: "sei-mainnet",
      5000: "mantle-mainnet",
      8453: "base-mainnet",
      42161: "arb-mainnet",
      42170: "arbnova-mainnet",
      42220: "celo-mainnet",
      43113: "avax-fuji",
      43114: "avax-mainnet",
      57073: "ink-mainnet",
      59144: "linea-mainnet",
      80002: "polygon-amoy",
      80094: "berachain-mainnet",
      81457: "blast-mainnet",
      84532: "base-sepolia",
      421614: "arb-sepolia",
      534352: "scroll-mainnet",
      560048: "eth-hoodi",
      7777777: "zora-mainnet",
      11155111: "eth-sepolia",
      11155420: "opt-sepolia",
      [MAINNET]: "solana-mainnet",
      [DEVNET]: "solana-devnet",
    },
  },
  ankr: {
    url: (network, key) => `https://rpc.ankr.com/${network}/${key}`,
    networks: {
      1: "eth",
      10: "optimism",
      56: "bsc",
      100: "gnosis",
      137: "polygon",
      250: "fantom",
      324: "zksync_era",
      1284: "moonbeam",
      5000: "mantle",
      8453: "base",
      42161: "arbitrum",
      42170: "arbitrum_nova",
      42220: "celo",
      43114: "avalanche",
      59144: "linea",
      81457: "blast",
      167000: "taiko",
      534352: "scroll",
      [MAINNET]: "solana",
    },
  },
  drpc: {
    url: (network, key) => `https://lb.drpc.org/ogrpc?network=${network}&dkey=${key}`,
    networks: {
      1: "ethereum",
      10: "optimism",
      56: "bsc",
      97: "bsc-testnet",
      100: "gnosis",
      130: "unichain",
      137: "polygon",
      146: "sonic",
      204: "opbnb",
      250: "fantom",
      300: "zksync-sepolia",
      324: "zksync",
      1284: "moonbeam",
      5000: "mantle",
      8453: "base",
      42161: "arbitrum",
      42170: "arbitrum-nova",
      42220: "celo",
      43113: "avalanche-fuji",
      43114: "avalanche",
      59144: "linea",
      80002: "polygon-amoy",
      80094: "berachain",
      81457: "blast",
      84532: "base-sepolia",
      167000: "taiko",
      421614: "arbitrum-sepolia",
      534352: "scroll",
      560048: "hoodi",
      11155111: "sepolia",
      11155420: "optimism-sepolia",
    },
  },
};
export const PROVIDER_NAMES = Object.keys(PROVIDERS);

/** In place of a URL that could not be made, of which another fault tells already. */
const UNKNOWN_URL = "https://unknown.invalid/";
const NAME_FORM = /^[a-z0-9][a-z0-9_-]*$/;

/** Puts `url` into each upstream that names a provider in its place; tells what keeps it from that. */
export function expandProviders(source: Source, root: unknown): Finding[] {
  const findings: Finding[] = [];
  for (const place of items(root, ["networks"])) {
    const network = at(root, place);
    for (const path of items(root, [...place, "upstreams"])) {
      const upstream = at(root, path);
      if (at(upstream, ["provider"]) === undefined) {
        findings.push(...strayKeys(upstream, path));
        continue;
      }
      findings.push(...faultsOf(upstream, network, path));
      const url = urlOf(upstream, network) ?? UNKNOWN_URL;
      (upstream as Record<string, unknown>)["url"] = url;
    }
  }
  return findings.filter(({ path }) => !source.isUnfilled(path));
}

/** Keys that mean nothing without a provider. */
function strayKeys(upstream: unknown, path: Path): Finding[] {
  const stray = ["key", "network"].filter((name) => at(upstream, [name]) !== undefined);
  const message = `belongs to provider (${PROVIDER_NAMES.join(", ")}), which is missing`;
  return stray.map((name) => ({ path: [...path, name], message }));
}

function faultsOf(upstream: unknown, network: unknown, path: Path): Finding[] {
  const findings: Finding[] = [];
  const provider = providerOf(upstream);
  // Its own schema tells of a name that is none.
  if (provider === undefined) return [];
  if (at(upstream, ["url"]) !== undefined) {
    findings.push({ path: [...path, "url"], message: "stands beside provider; keep one of both" });
  }
  if (at(upstream, ["key"]) === undefined) {
    const message = `is missing; name the provider's key, as key: "\${NAME}"`;
    findings.push({ path: [...path, "key"], message });
  }
  const given = at(upstream, ["network"]);
  if (given === undefined && nameOf(provider, network) === undefined) {
    const chain = at(network, ["family"]) === "slot" ? "genesisHash" : "chainId";
    const known =
      at(network, [chain]) === undefined
        ? `is missing, and so is the network's ${chain}`
        : `is missing; the provider's name of this ${chain} is not known here`;
    findings.push({
      path: [...path, "network"],
      message: `${known}: write what the provider calls the chain`,
    });
  }
  if (typeof given === "string" && !NAME_FORM.test(given)) {
    const message = "is no name of a chain; write it as it stands in the provider's addresses";
    findings.push({ path: [...path, "network"], message });
  }
  return findings;
}

function urlOf(upstream: unknown, network: unknown): string | undefined {
  const provider = providerOf(upstream);
  const [given, key] = [at(upstream, ["network"]), at(upstream, ["key"])];
  if (provider === undefined || typeof key !== "string") return undefined;
  const name = typeof given === "string" ? given : nameOf(provider, network);
  if (name === undefined || !NAME_FORM.test(name)) return undefined;
  return provider.url(name, encodeURIComponent(key));
}

function providerOf(upstream: unknown): Provider | undefined {
  const name = at(upstream, ["provider"]);
  return typeof name === "string" && Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
}

function nameOf({ networks }: Provider, network: unknown): string | undefined {
  const chain = at(network, ["chainId"]) ?? at(network, ["genesisHash"]);
  const id = String(chain);
  return Object.hasOwn(networks, id) ? networks[id] : undefined;
}
