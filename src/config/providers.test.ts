import { describe, expect, test } from "vitest";
import { parseConfig } from "./load.ts";

const fileOf = (upstream: string, network = "family: evm, chainId: 8453"): string =>
  `networks: [{ name: net, ${network}, upstreams: [{ name: paid, ${upstream} }] }]`;
const environment = { KEY: "a/key of mine" };
const urlOf = (...file: Parameters<typeof fileOf>): string | undefined =>
  parseConfig(fileOf(...file), { baseDir: "/", environment }).networks[0]?.upstreams[0]?.url;
const faultOf = (...file: Parameters<typeof fileOf>): string => {
  try {
    urlOf(...file);
    return "none";
  } catch (error) {
    return String(error);
  }
};
const KEY = `key: "\${KEY}"`;

describe("an upstream of a provider", () => {
  test.each([
    ["infura", "https://base-mainnet.infura.io/v3/a%2Fkey%20of%20mine"],
    ["alchemy", "https://base-mainnet.g.alchemy.com/v2/a%2Fkey%20of%20mine"],
    ["ankr", "https://rpc.ankr.com/base/a%2Fkey%20of%20mine"],
    ["drpc", "https://lb.drpc.org/ogrpc?network=base&dkey=a%2Fkey%20of%20mine"],
  ])("%s is addressed by the network's chain id", (provider, url) => {
    expect(urlOf(`provider: ${provider}, ${KEY}`)).toBe(url);
  });

  test("is addressed by the genesis hash of a slot network", () => {
    const network = "family: slot, genesisHash: 5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
    const url = urlOf(`provider: infura, ${KEY}`, network);
    expect(url).toBe("https://solana-mainnet.infura.io/v3/a%2Fkey%20of%20mine");
  });

  test("is addressed as the file says where the chain is not known here", () => {
    const url = urlOf(`provider: infura, network: sei-mainnet, ${KEY}`, "family: evm");
    expect(url).toBe("https://sei-mainnet.infura.io/v3/a%2Fkey%20of%20mine");
  });
});

describe("what is wrong is told, and never the key", () => {
  test.each([
    ["provider: infura", "upstreams[0].key (line 1): is missing; name the provider's key"],
    [`provider: infra, ${KEY}`, "upstreams[0].provider (line 1): is not one of infura, alchemy"],
    [
      `provider: infura, url: "http://a", ${KEY}`,
      "upstreams[0].url (line 1): stands beside provider",
    ],
    [
      `provider: infura, network: "Base/x", ${KEY}`,
      "upstreams[0].network (line 1): is no name of a chain",
    ],
    [`url: "http://a", ${KEY}`, "upstreams[0].key (line 1): belongs to provider (infura, alchemy"],
    [`provider: infura, key: "\${NONE}"`, "NONE"],
  ])("%s", (upstream, text) => {
    const fault = faultOf(upstream);
    expect(fault).toContain(text);
    expect(fault).not.toContain(environment.KEY);
    expect(fault).toMatch(/a fault:/);
  });

  test.each([
    ["family: evm", "is missing, and so is the network's chainId"],
    ["family: evm, chainId: 4242", "the provider's name of this chainId is not known here"],
    ["family: slot", "is missing, and so is the network's genesisHash"],
  ])("a network of %s", (network, text) => {
    expect(faultOf(`provider: infura, ${KEY}`, network)).toContain(text);
  });
});
