import { key, option, restText, u8, u64Text } from "../fields.ts";
import type { Instruction, Program, Table } from "../table.ts";
import {
  AUTHORITY_TYPES,
  extensionTypes,
  NEW_MINT,
  someExtensionTypes,
  tokenAmount,
} from "../token-fields.ts";
import { CONFIDENTIAL_EXTENSIONS } from "./token-confidential.ts";
import { EXTENSIONS } from "./token-extensions.ts";
import { INTERFACES } from "./token-interfaces.ts";

const AUTHORITY = ["authority", "multisigAuthority"] as const;
const OWNER = ["owner", "multisigOwner"] as const;
const MINT_AUTHORITY = ["mintAuthority", "multisigMintAuthority"] as const;
const FREEZE_AUTHORITY = ["freezeAuthority", "multisigFreezeAuthority"] as const;
const AMOUNT = [["amount", u64Text]] as const;
const TOKEN_AMOUNT = [["tokenAmount", tokenAmount]] as const;

/** An authority over a mint names its account "mint", one over an account "account". */
function setAuthority([type, overAccount]: readonly [string, boolean]): Instruction {
  return {
    type: "setAuthority",
    accounts: [overAccount ? "account" : "mint"],
    data: [
      ["authorityType", () => type],
      ["newAuthority", option(key)],
    ],
    signers: AUTHORITY,
  };
}

const SET_AUTHORITY: Table = {
  tag: u8,
  variants: Object.fromEntries(AUTHORITY_TYPES.map(setAuthority).entries()),
};

/** The instructions of both token programs: amounts, accounts and mints. */
const BASE: Table["variants"] = {
  0: { type: "initializeMint", accounts: ["mint", "rentSysvar"], data: NEW_MINT },
  1: { type: "initializeAccount", accounts: ["account", "mint", "owner", "rentSysvar"] },
  2: {
    type: "initializeMultisig",
    accounts: ["multisig", "rentSysvar"],
    least: 3,
    data: [["m", u8]],
    rest: "signers",
  },
  3: { type: "transfer", accounts: ["source", "destination"], data: AMOUNT, signers: AUTHORITY },
  4: { type: "approve", accounts: ["source", "delegate"], data: AMOUNT, signers: OWNER },
  5: { type: "revoke", accounts: ["source"], signers: OWNER },
  6: SET_AUTHORITY,
  7: { type: "mintTo", accounts: ["mint", "account"], data: AMOUNT, signers: MINT_AUTHORITY },
  8: { type: "burn", accounts: ["account", "mint"], data: AMOUNT, signers: AUTHORITY },
  9: { type: "closeAccount", accounts: ["account", "destination"], signers: OWNER },
  10: { type: "freezeAccount", accounts: ["account", "mint"], signers: FREEZE_AUTHORITY },
  11: { type: "thawAccount", accounts: ["account", "mint"], signers: FREEZE_AUTHORITY },
  12: {
    type: "transferChecked",
    accounts: ["source", "mint", "destination"],
    data: TOKEN_AMOUNT,
    signers: AUTHORITY,
  },
  13: {
    type: "approveChecked",
    accounts: ["source", "mint", "delegate"],
    data: TOKEN_AMOUNT,
    signers: OWNER,
  },
  14: {
    type: "mintToChecked",
    accounts: ["mint", "account"],
    data: TOKEN_AMOUNT,
    signers: MINT_AUTHORITY,
  },
  15: {
    type: "burnChecked",
    accounts: ["account", "mint"],
    data: TOKEN_AMOUNT,
    signers: AUTHORITY,
  },
  16: {
    type: "initializeAccount2",
    accounts: ["account", "mint", "rentSysvar"],
    data: [["owner", key]],
  },
  17: { type: "syncNative", accounts: ["account"] },
  18: { type: "initializeAccount3", accounts: ["account", "mint"], data: [["owner", key]] },
  19: {
    type: "initializeMultisig2",
    accounts: ["multisig"],
    least: 2,
    data: [["m", u8]],
    rest: "signers",
  },
  20: { type: "initializeMint2", accounts: ["mint"], data: NEW_MINT },
  21: {
    type: "getAccountDataSize",
    accounts: ["mint"],
    data: [["extensionTypes", someExtensionTypes]],
  },
  22: { type: "initializeImmutableOwner", accounts: ["account"] },
  23: { type: "amountToUiAmount", accounts: ["mint"], data: AMOUNT },
  24: { type: "uiAmountToAmount", accounts: ["mint"], data: [["uiAmount", restText]] },
};

/** The instructions of token-2022 beside its extensions. */
const TOKEN_2022: Table["variants"] = {
  25: {
    type: "initializeMintCloseAuthority",
    accounts: ["mint"],
    data: [["newAuthority", option(key)]],
  },
  29: {
    type: "reallocate",
    accounts: ["account", "payer", "systemProgram"],
    data: [["extensionTypes", extensionTypes]],
    signers: OWNER,
  },
  31: { type: "createNativeMint", accounts: ["payer", "nativeMint", "systemProgram"] },
  32: { type: "initializeNonTransferableMint", accounts: ["mint"] },
  35: { type: "initializePermanentDelegate", accounts: ["mint"], data: [["delegate", key]] },
  38: {
    type: "withdrawExcessLamports",
    accounts: ["source", "destination"],
    signers: AUTHORITY,
  },
};

const INSTRUCTIONS: Table = {
  tag: u8,
  variants: { ...BASE, ...TOKEN_2022, ...EXTENSIONS, ...CONFIDENTIAL_EXTENSIONS },
};

/** The token program and token-2022, which agave reads alike: packed data, bytes left over no fault. */
export const TOKEN: Program = { name: "spl-token", tables: [INSTRUCTIONS, INTERFACES] };
