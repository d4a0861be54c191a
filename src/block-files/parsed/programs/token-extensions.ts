import { i16, i64, key, keyOrNull, oneOf, optional, someKey, u8, u16, u64 } from "../fields.ts";
import type { Instruction, Table } from "../table.ts";
import { amountAndFee, floatText } from "../token-fields.ts";

const AUTHORITY = ["authority", "multisigAuthority"] as const;
const OWNER = ["owner", "multisigOwner"] as const;
const WITHDRAW_AUTHORITY = [
  "withdrawWithheldAuthority",
  "multisigWithdrawWithheldAuthority",
] as const;

const TRANSFER_FEE: Table = {
  tag: u8,
  variants: {
    0: {
      type: "initializeTransferFeeConfig",
      accounts: ["mint"],
      data: [
        ["transferFeeConfigAuthority", optional(key)],
        ["withdrawWithheldAuthority", optional(key)],
        ["transferFeeBasisPoints", u16],
        ["maximumFee", u64],
      ],
    },
    1: {
      type: "transferCheckedWithFee",
      accounts: ["source", "mint", "destination"],
      data: [["...", amountAndFee]],
      signers: AUTHORITY,
    },
    2: {
      type: "withdrawWithheldTokensFromMint",
      accounts: ["mint", "feeRecipient"],
      signers: WITHDRAW_AUTHORITY,
    },
    3: {
      type: "withdrawWithheldTokensFromAccounts",
      accounts: ["mint", "feeRecipient"],
      data: [["numTokenAccounts", u8]],
      countedSources: "numTokenAccounts",
      signers: WITHDRAW_AUTHORITY,
    },
    4: { type: "harvestWithheldTokensToMint", accounts: ["mint"], rest: "sourceAccounts" },
    5: {
      type: "setTransferFee",
      accounts: ["mint"],
      data: [
        ["transferFeeBasisPoints", u16],
        ["maximumFee", u64],
      ],
      // agave's own spelling.
      signers: ["transferFeeConfigAuthority", "multisigtransferFeeConfigAuthority"],
    },
  },
};

const ACCOUNT_STATE = [
  ["accountState", oneOf(["uninitialized", "initialized", "frozen"])],
] as const;

const DEFAULT_ACCOUNT_STATE: Table = {
  tag: u8,
  variants: {
    0: {
      type: "initializeDefaultAccountState",
      accounts: ["mint"],
      data: ACCOUNT_STATE,
      whole: true,
    },
    1: {
      type: "updateDefaultAccountState",
      accounts: ["mint"],
      data: ACCOUNT_STATE,
      whole: true,
      signers: ["freezeAuthority", "multisigFreezeAuthority"],
    },
  },
};

const INTEREST_BEARING: Table = {
  tag: u8,
  variants: {
    0: {
      type: "initializeInterestBearingConfig",
      accounts: ["mint"],
      data: [
        ["rateAuthority", keyOrNull],
        ["rate", i16],
      ],
      whole: true,
    },
    1: {
      type: "updateInterestBearingConfigRate",
      accounts: ["mint"],
      data: [["newRate", i16]],
      whole: true,
      signers: ["rateAuthority", "multisigRateAuthority"],
    },
  },
};

const SCALED_UI_AMOUNT: Table = {
  tag: u8,
  variants: {
    0: {
      type: "initializeScaledUiAmountConfig",
      accounts: ["mint"],
      data: [
        ["authority", keyOrNull],
        ["multiplier", floatText],
      ],
      whole: true,
    },
    1: {
      type: "updateMultiplier",
      accounts: ["mint"],
      data: [
        ["newMultiplier", floatText],
        ["newMultiplierTimestamp", i64],
      ],
      whole: true,
      signers: AUTHORITY,
    },
  },
};

const PAUSABLE: Table = {
  tag: u8,
  variants: {
    0: {
      type: "initializePausableConfig",
      accounts: ["mint"],
      data: [["authority", key]],
      whole: true,
    },
    1: { type: "pause", accounts: ["mint"], signers: AUTHORITY },
    2: { type: "resume", accounts: ["mint"], signers: AUTHORITY },
  },
};

/** An extension that an account's owner turns on and off. */
function onAndOff(extension: string): Table {
  const turn = (on: string): Instruction => ({
    type: `${on}${extension}`,
    accounts: ["account"],
    signers: OWNER,
  });
  return { tag: u8, variants: { 0: turn("enable"), 1: turn("disable") } };
}

/** An extension that holds an address and who may change it. */
function pointer(extension: string, address: string): Table {
  return {
    tag: u8,
    variants: {
      0: {
        type: `initialize${extension}`,
        accounts: ["mint"],
        data: [
          ["authority", someKey],
          [address, someKey],
        ],
        whole: true,
      },
      1: {
        type: `update${extension}`,
        accounts: ["mint"],
        data: [[address, someKey]],
        whole: true,
        signers: AUTHORITY,
      },
    },
  };
}

/** The extensions of token-2022 without secrets, by the byte that names them. */
export const EXTENSIONS: Table["variants"] = {
  26: TRANSFER_FEE,
  28: DEFAULT_ACCOUNT_STATE,
  30: onAndOff("RequiredMemoTransfers"),
  33: INTEREST_BEARING,
  34: onAndOff("CpiGuard"),
  36: pointer("TransferHook", "programId"),
  39: pointer("MetadataPointer", "metadataAddress"),
  40: pointer("GroupPointer", "groupAddress"),
  41: pointer("GroupMemberPointer", "memberAddress"),
  43: SCALED_UI_AMOUNT,
  44: PAUSABLE,
};
