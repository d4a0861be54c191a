import type { Definition } from "./definition.ts";
import { BLOCK_METHODS } from "./evm/blocks.ts";
import { CHAIN_METHODS } from "./evm/chain.ts";
import { DEBUG_METHODS } from "./evm/debug.ts";
import { LOG_AND_FEE_METHODS } from "./evm/logs-and-fees.ts";
import { SIMULATION_METHODS } from "./evm/simulation.ts";
import { STATE_METHODS } from "./evm/state.ts";
import { TRACE_METHODS } from "./evm/trace.ts";
import { TRANSACTION_METHODS } from "./evm/transactions.ts";
import { TXPOOL_METHODS } from "./evm/txpool.ts";
import { ACCOUNT_METHODS } from "./slot/accounts.ts";
import { BLOCK_METHODS as SLOT_BLOCK_METHODS } from "./slot/blocks.ts";
import { CLUSTER_METHODS } from "./slot/cluster.ts";
import { TRANSACTION_METHODS as SLOT_TRANSACTION_METHODS } from "./slot/transactions.ts";
import { VALIDATOR_METHODS } from "./slot/validators.ts";

/** Every method of an EVM network that nodes are asked. A method is added to its family's file alone. */
export const EVM_METHODS: readonly Definition[] = Object.freeze([
  ...BLOCK_METHODS,
  ...TRANSACTION_METHODS,
  ...STATE_METHODS,
  ...SIMULATION_METHODS,
  ...LOG_AND_FEE_METHODS,
  ...CHAIN_METHODS,
]);

/** Those that an EVM network's file switches on, by group. */
export const EVM_GROUP_METHODS: readonly Definition[] = Object.freeze([
  ...DEBUG_METHODS,
  ...TRACE_METHODS,
  ...TXPOOL_METHODS,
]);

/** Every method of a slot-based network. */
export const SLOT_METHODS: readonly Definition[] = Object.freeze([
  ...SLOT_BLOCK_METHODS,
  ...SLOT_TRANSACTION_METHODS,
  ...ACCOUNT_METHODS,
  ...VALIDATOR_METHODS,
  ...CLUSTER_METHODS,
]);
