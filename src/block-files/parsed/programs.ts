import { ADDRESS_LOOKUP_TABLE } from "./programs/address-lookup-table.ts";
import { ASSOCIATED_TOKEN } from "./programs/associated-token.ts";
import { BPF_LOADER } from "./programs/bpf-loader.ts";
import { BPF_UPGRADEABLE_LOADER } from "./programs/bpf-upgradeable-loader.ts";
import { MEMO } from "./programs/memo.ts";
import { STAKE } from "./programs/stake.ts";
import { SYSTEM } from "./programs/system.ts";
import { TOKEN } from "./programs/token.ts";
import { VOTE } from "./programs/vote.ts";
import type { Program } from "./table.ts";

/** The programs that agave 3.0 parses, by address. Both token programs go by one name and one set of tables. */
export const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ["11111111111111111111111111111111", SYSTEM],
  ["ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL", ASSOCIATED_TOKEN],
  ["AddressLookupTab1e1111111111111111111111111", ADDRESS_LOOKUP_TABLE],
  ["BPFLoader2111111111111111111111111111111111", BPF_LOADER],
  ["BPFLoaderUpgradeab1e11111111111111111111111", BPF_UPGRADEABLE_LOADER],
  ["Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo", MEMO],
  ["MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr", MEMO],
  ["Stake11111111111111111111111111111111111111", STAKE],
  ["TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", TOKEN],
  ["TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb", TOKEN],
  ["Vote111111111111111111111111111111111111111", VOTE],
]);
