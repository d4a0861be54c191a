import { loadConfig } from "../../config/load.ts";
import type { NetworkConfig } from "../../config/network-schema.ts";
import { readCertificates } from "../../gateway/fronts/certificates.ts";
import type { WireKind } from "../../wire/wire-kind.ts";
import { EVM_CHECK } from "./check-evm.ts";
import { type CheckedNetwork, checkReport } from "./check-report.ts";
import { SLOT_CHECK } from "./check-slot.ts";
import { tryUpstream } from "./check-upstream.ts";

/**
 * `check --config FILE`: the file's faults (thrown as ConfigError), then each upstream tried.
 * Returns the exit code: 1 where any upstream has a fault.
 */
export async function runCheck(file: string, print: (text: string) => void): Promise<number> {
  const config = await loadConfig(file);
  if (config.server.tls !== undefined) readCertificates(config.server.tls);
  const checked = await Promise.all(
    config.networks.map((network) => tryNetwork(network, config.server.wire)),
  );
  const { text, hasFault } = checkReport(checked);
  print(`${file}: no faults in the file`);
  print(text);
  return hasFault ? 1 : 0;
}

const CHECKS = { evm: EVM_CHECK, slot: SLOT_CHECK };

async function tryNetwork(network: NetworkConfig, wire: WireKind): Promise<CheckedNetwork> {
  const { name, family, maxResponseBytes } = network;
  const tried = network.upstreams.map(async (upstream) => ({
    ...upstream,
    findings: await tryUpstream({ ...upstream, maxResponseBytes }, CHECKS[family], wire),
  }));
  const chain = network.family === "evm" ? network.chainId : network.genesisHash;
  return { name, chain, upstreams: await Promise.all(tried) };
}
