/** Values that people try first. They are right on every chain, and mean something on Ethereum's. */
export const ADDRESS_EXAMPLE = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045";
/** Of block 0. */
export const BLOCK_HASH_EXAMPLE =
  "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3";
/** The first that there was. */
export const TRANSACTION_HASH_EXAMPLE =
  "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060";
