import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { SENDER } from "../outside/sign.ts";
import { type RealNode, startRealNode } from "./real-node.ts";
import { temporaryFolder } from "./written.ts";

export const ETHEREUMJS_CHAIN_ID = 1337;

/** Where the engine's port stands among a node's. */
const PORTS = ["--rpcPort", "--wsPort", "--rpcEnginePort", "--wsEnginePort", "--port"] as const;
const ENGINE_AT = 2;

const LOOPBACK_ONLY = fileURLToPath(new URL("loopback-only.cjs", import.meta.url));
const outside = createRequire(new URL("../outside/package.json", import.meta.url));

const FORKS = ["homestead", "eip150", "eip155", "eip158", "byzantium", "constantinople"].concat(
  "petersburg",
  "istanbul",
  "berlin",
  "london",
  "mergeFork",
);
/** Under proof of stake and Prague from the first block on, as geth writes it. */
const genesisAt = (seconds: number) => ({
  config: {
    chainId: ETHEREUMJS_CHAIN_ID,
    ...Object.fromEntries(FORKS.map((fork) => [`${fork}Block`, 0])),
    terminalTotalDifficulty: 0,
    terminalTotalDifficultyPassed: true,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
    blobSchedule: {
      cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
      prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
    },
  },
  nonce: "0x0",
  timestamp: `0x${seconds.toString(16)}`,
  extraData: "0x",
  gasLimit: "0x1c9c380",
  difficulty: "0x0",
  mixHash: `0x${"0".repeat(64)}`,
  coinbase: `0x${"0".repeat(40)}`,
  baseFeePerGas: "0x3b9aca00",
  alloc: { [SENDER.slice(2)]: { balance: "0x21e19e0c9bab2400000" } },
});

/** Where a node's Engine API listens. */
export const engineOf = ({ ports }: RealNode): string => `http://127.0.0.1:${ports[ENGINE_AT]}`;

/**
 * An execution client that knows the genesis of this time alone until it is driven
 * (engine-driver.ts). Without a head of the last minute it takes no transactions.
 */
export function startEthereumjs(genesisTime: number): Promise<RealNode> {
  const cli = join(dirname(outside.resolve("@ethereumjs/client")), "cli.js");
  const fixed = ["--isSingleNode", "--rpc", "--ws", "--rpcEngine", "--rpcEngineAuth=false"];
  fixed.push("--discDns=false", "--discV4=false", "--maxPeers=0", "--logRotate=false");
  return startRealNode({
    name: "ethereumjs",
    needsPorts: PORTS.length,
    command: (ports) => {
      // Empty whenever it starts.
      const folder = temporaryFolder("ethereumjs");
      const genesis = join(folder, "genesis.json");
      writeFileSync(genesis, JSON.stringify(genesisAt(genesisTime)));
      const chain = ["--gethGenesis", genesis, "--dataDir", join(folder, "data")];
      // Told not to write any, it writes one named `false`.
      chain.push("--logFile", join(folder, "client.log"), "--logLevelFile=error");
      const listening = PORTS.flatMap((option, index) => [option, String(ports[index])]);
      const node = [process.execPath, "--require", LOOPBACK_ONLY] as const;
      return [...node, cli, ...fixed, ...chain, ...listening];
    },
    portsIn: (output, wanted) =>
      output.includes("Client started successfully") ? wanted : undefined,
  });
}
