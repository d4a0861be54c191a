import type { Definition } from "./definition.ts";
import { BLOCK_METHODS } from "./evm/blocks.ts";
import { CHAIN_METHODS } from "./evm/chain.ts";
import { LOG_AND_FEE_METHODS } from "./evm/logs-and-fees.ts";
import { SIMULATION_METHODS } from "./evm/simulation.ts";
import { STATE_METHODS } from "./evm/state.ts";
import { TRANSACTION_METHODS } from "./evm/transactions.ts";
import { OWN_METHODS } from "./own.ts";

/** Every method of an EVM network. A method is added to its family's file alone. */
export const EVM_METHODS: readonly Definition[] = Object.freeze([
  ...BLOCK_METHODS,
  ...TRANSACTION_METHODS,
  ...STATE_METHODS,
  ...SIMULATION_METHODS,
  ...LOG_AND_FEE_METHODS,
  ...CHAIN_METHODS,
]);

const BY_NAME: ReadonlyMap<string, Definition> = new Map(
  [...EVM_METHODS, ...OWN_METHODS].map((definition) => [definition.method, definition]),
);

/** How the names of methods begin that change a chain, a node or its keys. */
const WRITING_PREFIXES: readonly string[] = [
  "eth_send",
  "eth_sign",
  "eth_submit",
  "eth_cancel",
  "eth_resend",
  "personal_",
  "miner_",
  "admin_",
  "clique_",
  "debug_set",
  "engine_",
  "wallet_",
  "anvil_",
  "hardhat_",
  "evm_",
  "ganache_",
  "tenderly_",
];

/** The definition of this name, written exactly so; undefined where it is not served. */
export function lookUp(method: string): Definition | undefined {
  return BY_NAME.get(method);
}

/** Whether a method that is not served would write: the refusal then says why it is not. */
export function isWriting(method: string): boolean {
  return WRITING_PREFIXES.some((prefix) => method.startsWith(prefix));
}
