import type { Definition } from "../definition.ts";
import { accountConfig, programAccountsConfig, tokenFilter } from "./params/account-config.ts";
import { commitmentParam, contextParam } from "./params/config.ts";
import { address, addresses, byteCount } from "./params/plain.ts";
import { largestAccountsConfig, supplyConfig } from "./params/validator-config.ts";
import { contextRead, read } from "./read.ts";

export const ACCOUNT_METHODS: readonly Definition[] = Object.freeze([
  contextRead({
    method: "getAccountInfo",
    result: "the account: its lamports, owner and data; null where there is none",
    params: [address, accountConfig],
  }),
  contextRead({
    method: "getMultipleAccounts",
    result: "a list of accounts in the order of the addresses, null where there is none",
    params: [addresses, accountConfig],
  }),
  contextRead({
    method: "getBalance",
    result: "the balance of the address in lamports",
    params: [address, contextParam],
  }),
  // Its answer says its slot only where `withContext` asks for it.
  read({
    method: "getProgramAccounts",
    result:
      "a list of the accounts that the program owns, as far as the filters of the config let them through",
    params: [address, programAccountsConfig],
  }),
  contextRead({
    method: "getTokenAccountsByOwner",
    result: "a list of the token accounts of the owner, of one mint or one token program",
    params: [address, tokenFilter, accountConfig],
  }),
  contextRead({
    method: "getTokenAccountsByDelegate",
    result:
      "a list of the token accounts that the delegate may spend from, of one mint or one token program",
    params: [address, tokenFilter, accountConfig],
  }),
  contextRead({
    method: "getTokenAccountBalance",
    result: "the balance of the token account: the amount, its decimals, and both in words",
    params: [address, commitmentParam],
  }),
  contextRead({
    method: "getTokenSupply",
    result: "how many tokens of the mint there are: the amount, its decimals, and both in words",
    params: [address, commitmentParam],
  }),
  contextRead({
    method: "getTokenLargestAccounts",
    result: "a list of the 20 largest accounts of the mint, largest first",
    params: [address, commitmentParam],
  }),
  contextRead({
    method: "getLargestAccounts",
    result: "a list of the 20 accounts with the most lamports, largest first",
    params: [largestAccountsConfig],
  }),
  contextRead({
    method: "getSupply",
    result:
      "the lamports that there are: all, those in circulation and the others, and the accounts of the others",
    params: [supplyConfig],
  }),
  read({
    method: "getMinimumBalanceForRentExemption",
    result: "the lamports that an account with so many bytes of data has to hold",
    params: [byteCount, commitmentParam],
  }),
]);
