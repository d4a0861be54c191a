/** Methods that anvil does not have, or whose example names a block that its chain does not have. */
export const NOT_OF_ANVIL: ReadonlySet<string> = new Set([
  "eth_mining",
  "net_peerCount",
  "debug_traceBlockByHash",
  "debug_getRawBlock",
  "debug_getRawHeader",
  "debug_getRawReceipts",
  "trace_call",
  "trace_replayTransaction",
  "txpool_contentFrom",
]);
