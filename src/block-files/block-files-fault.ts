/** A file of the ledger that is not what it should be. The text names no path. */
export class BlockFilesFault extends Error {
  override readonly name = "BlockFilesFault";
}

/** A JSON-RPC error in the node's own words (agave 3.0 `rpc-client-api/src/custom_error.rs`). */
export class RpcFault extends Error {
  override readonly name = "RpcFault";
  readonly code: number;
  readonly data: unknown;

  constructor(message: string, options: { code: number; data?: unknown; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.data = options.data;
  }
}

export const invalidParams = (message: string, cause?: unknown): RpcFault =>
  new RpcFault(message, { code: -32602, cause });
