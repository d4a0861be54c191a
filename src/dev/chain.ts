import { type AnvilOptions, type DevNode, startAnvil } from "./anvil.ts";
import { rpc } from "./rpc.ts";
import type { Samples } from "./samples.ts";
import { seedChain } from "./seed.ts";

type DevChainOptions = AnvilOptions & { readonly blockTimeSeconds: number };
export type DevChain = { readonly node: DevNode; readonly samples: Samples };

/**
 * The chain of `tollgate dev`: anvil with the samples on it, then a block every `blockTimeSeconds`.
 * @throws Error that says why where it does not start, or where the kept chain is another one
 */
export async function startDevChain(options: DevChainOptions): Promise<DevChain> {
  const node = await startAnvil(options);
  try {
    const samples = await seedChain(node.url);
    await rpc(node.url, "evm_setIntervalMining", [options.blockTimeSeconds]);
    return { node, samples };
  } catch (cause) {
    await node.stop();
    if (options.stateDir === undefined) throw cause;
    const text = `the chain kept in ${options.stateDir} cannot be used; delete it or name another`;
    throw new Error(text, { cause });
  }
}
