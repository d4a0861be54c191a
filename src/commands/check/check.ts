import { ConfigError } from "../../config/faults.ts";
import { loadConfig } from "../../config/load.ts";
import type { NetworkConfig } from "../../config/network-schema.ts";
import { readCertificates } from "../../gateway/fronts/certificates.ts";
import type { WireKind } from "../../wire/wire-kind.ts";
import { EVM_CHECK } from "./check-evm.ts";
import { type CheckedNetwork, checkReport } from "./check-report.ts";
import { SLOT_CHECK } from "./check-slot.ts";
import { tryUpstream } from "./check-upstream.ts";

export type CheckOptions = { readonly config: string; readonly json?: boolean };

/**
 * `check [--config FILE] [--json]`: the file's faults, then each upstream tried. Returns the exit code: 1 where there
 * is a fault of either.
 * @throws ConfigError for the file's faults, which `--json` prints
 */
export async function runCheck(
  { config: file, json = false }: CheckOptions,
  print: (text: string) => void,
): Promise<number> {
  try {
    const { text, results } = await tryFile(file);
    if (json) print(JSON.stringify({ faults: [], upstreams: results }));
    else print(`${file}: no faults in the file\n${text}`);
    return results.every(({ ok }) => ok) ? 0 : 1;
  } catch (error) {
    if (!json || !(error instanceof ConfigError)) throw error;
    print(JSON.stringify({ faults: error.faults, upstreams: [] }));
    return 1;
  }
}

/** @throws ConfigError */
async function tryFile(file: string): Promise<ReturnType<typeof checkReport>> {
  const config = await loadConfig(file);
  if (config.server.tls !== undefined) readCertificates(config.server.tls);
  const tried = config.networks.map((network) => tryNetwork(network, config.server.wire));
  return checkReport(await Promise.all(tried));
}

/** The questions to nodes of each family. */
export const CHECKS = { evm: EVM_CHECK, slot: SLOT_CHECK };

async function tryNetwork(network: NetworkConfig, wire: WireKind): Promise<CheckedNetwork> {
  const { name, family, maxResponseBytes } = network;
  const tried = network.upstreams.map(async (upstream) => ({
    ...upstream,
    findings: await tryUpstream({ ...upstream, maxResponseBytes }, CHECKS[family], wire),
  }));
  const chain = network.family === "evm" ? network.chainId : network.genesisHash;
  return { name, chain, upstreams: await Promise.all(tried) };
}
