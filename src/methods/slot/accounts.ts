import type { Definition } from "../definition.ts";
import { accountConfig, programAccountsConfig, tokenFilter } from "./params/account-config.ts";
import { commitmentParam, contextParam } from "./params/config.ts";
import { address, addresses, byteCount } from "./params/plain.ts";
import { contextRead, read } from "./read.ts";

export const ACCOUNT_METHODS: readonly Definition[] = Object.freeze([
  contextRead({ method: "getAccountInfo", params: [address, accountConfig] }),
  contextRead({ method: "getMultipleAccounts", params: [addresses, accountConfig] }),
  contextRead({ method: "getBalance", params: [address, contextParam] }),
  // Its answer says its slot only where `withContext` asks for it.
  read({ method: "getProgramAccounts", params: [address, programAccountsConfig] }),
  contextRead({
    method: "getTokenAccountsByOwner",
    params: [address, tokenFilter, accountConfig],
  }),
  contextRead({ method: "getTokenAccountBalance", params: [address, commitmentParam] }),
  contextRead({ method: "getTokenSupply", params: [address, commitmentParam] }),
  read({ method: "getMinimumBalanceForRentExemption", params: [byteCount, commitmentParam] }),
]);
