/** A client library at one address, narrowed to what the tests ask of every one of them. */
export type Client = {
  readonly chainId: () => Promise<number>;
  /** A block by number, hash or tag, by the client's own function for each. */
  readonly block: (at: BlockAt, full: boolean) => Promise<SeenBlock>;
  readonly transaction: (blockNumber: number, index: number) => Promise<SeenTransaction>;
  readonly receipt: (hash: string) => Promise<SeenReceipt>;
  readonly storage: (address: string, position: string) => Promise<string>;
  /** `greeting()`, decoded by the client. */
  readonly greeting: (contract: string) => Promise<string>;
  /** `balanceOf(owner)`, decoded by the client. */
  readonly balanceOf: (contract: string, owner: string) => Promise<bigint>;
  readonly estimateGas: (call: SentCall) => Promise<bigint>;
  /**
   * Calls a function that reverts. Resolves with what the client's own error says of it:
   * `not today`, `InsufficientBalance(1, 2)`, `Panic(18)`. Rejects where the client throws anything
   * but its error for a revert.
   */
  readonly revert: (call: RevertingCall) => Promise<string>;
  /** The chain's id, a block's number and a balance in one message; absent where it has none. */
  readonly batch?: (owner: string) => Promise<SeenBatch>;
  readonly close: () => Promise<void> | void;
};

export type BlockAt = { readonly number: number } | { readonly hash: string } | "latest";
type SeenBlock = {
  readonly number: number;
  readonly hash: string;
  readonly transactions: readonly (string | { readonly hash: string; readonly type: number })[];
};
type SeenTransaction = {
  readonly hash: string;
  readonly type: number;
  readonly index: number;
};
type SeenReceipt = {
  readonly hash: string;
  readonly succeeded: boolean;
  readonly type: number;
  readonly contract: string | null;
  readonly logs: number;
};
export type SentCall = { readonly from: string; readonly to: string; readonly data: string };
export type RevertingCall = {
  readonly from: string;
  readonly contract: string;
  readonly name: "refuse" | "transfer" | "divide";
  readonly args: readonly (string | bigint)[];
};
type SeenBatch = {
  readonly values: { readonly chainId: number; readonly number: number; readonly balance: bigint };
  /** How many calls went in each message that the client sent for it. */
  readonly sizes: readonly number[];
};

export type Connect = (url: string) => Promise<Client> | Client;

/** What the tests call of src/dev/sample-contract.sol. */
export const SAMPLE_ABI = [
  "function greeting() view returns (string)",
  "function balanceOf(address owner) view returns (uint256)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function refuse(string reason) pure",
  "function divide(uint256 dividend, uint256 divisor) pure returns (uint256)",
  "error InsufficientBalance(uint256 available, uint256 required)",
] as const;
