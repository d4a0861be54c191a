import { i64, key, oneOf, optional, struct, text, u32, u64 } from "../fields.ts";
import type { Program, Table } from "../table.ts";

const AUTHORITY_TYPE = oneOf(["Staker", "Withdrawer"], u32);
const STAKE_AND_CLOCK = ["stakeAccount", "clockSysvar"];

const INSTRUCTIONS: Table = {
  tag: u32,
  variants: {
    0: {
      type: "initialize",
      accounts: ["stakeAccount", "rentSysvar"],
      data: [
        [
          "authorized",
          struct([
            ["staker", key],
            ["withdrawer", key],
          ]),
        ],
        [
          "lockup",
          struct([
            ["unixTimestamp", i64],
            ["epoch", u64],
            ["custodian", key],
          ]),
        ],
      ],
    },
    1: {
      type: "authorize",
      accounts: [...STAKE_AND_CLOCK, "authority"],
      data: [
        ["newAuthority", key],
        ["authorityType", AUTHORITY_TYPE],
      ],
      optional: [{ name: "custodian", at: 3 }],
    },
    2: {
      type: "delegate",
      accounts: [
        "stakeAccount",
        "voteAccount",
        "clockSysvar",
        "stakeHistorySysvar",
        "stakeConfigAccount",
        "stakeAuthority",
      ],
    },
    3: {
      type: "split",
      accounts: ["stakeAccount", "newSplitAccount", "stakeAuthority"],
      data: [["lamports", u64]],
    },
    4: {
      type: "withdraw",
      accounts: [
        "stakeAccount",
        "destination",
        "clockSysvar",
        "stakeHistorySysvar",
        "withdrawAuthority",
      ],
      data: [["lamports", u64]],
      optional: [{ name: "custodian", at: 5 }],
    },
    5: { type: "deactivate", accounts: [...STAKE_AND_CLOCK, "stakeAuthority"] },
    6: {
      type: "setLockup",
      accounts: ["stakeAccount", "custodian"],
      data: [
        [
          "lockup",
          struct([
            ["unixTimestamp", optional(i64)],
            ["epoch", optional(u64)],
            ["custodian", optional(key)],
          ]),
        ],
      ],
    },
    7: {
      type: "merge",
      accounts: ["destination", "source", "clockSysvar", "stakeHistorySysvar", "stakeAuthority"],
    },
    8: {
      type: "authorizeWithSeed",
      accounts: ["stakeAccount", "authorityBase"],
      data: [
        ["newAuthorized", key],
        ["authorityType", AUTHORITY_TYPE],
        ["authoritySeed", text],
        ["authorityOwner", key],
      ],
      optional: [
        { name: "clockSysvar", at: 2 },
        { name: "custodian", at: 3 },
      ],
    },
    9: {
      type: "initializeChecked",
      accounts: ["stakeAccount", "rentSysvar", "staker", "withdrawer"],
    },
    10: {
      type: "authorizeChecked",
      accounts: [...STAKE_AND_CLOCK, "authority", "newAuthority"],
      data: [["authorityType", AUTHORITY_TYPE]],
      optional: [{ name: "custodian", at: 4 }],
    },
    11: {
      type: "authorizeCheckedWithSeed",
      accounts: ["stakeAccount", "authorityBase", "clockSysvar", "newAuthorized"],
      data: [
        ["authorityType", AUTHORITY_TYPE],
        ["authoritySeed", text],
        ["authorityOwner", key],
      ],
      optional: [{ name: "custodian", at: 4 }],
    },
    12: {
      type: "setLockupChecked",
      accounts: ["stakeAccount", "custodian"],
      data: [
        [
          "lockup",
          struct([
            ["unixTimestamp", optional(i64)],
            ["epoch", optional(u64)],
          ]),
        ],
      ],
      optional: [{ name: "custodian", at: 2, within: "lockup" }],
    },
    13: { type: "getMinimumDelegation", accounts: [], info: false },
    14: {
      type: "deactivateDelinquent",
      accounts: ["stakeAccount", "voteAccount", "referenceVoteAccount"],
    },
    15: {
      type: "redelegate",
      accounts: [
        "stakeAccount",
        "newStakeAccount",
        "voteAccount",
        "stakeConfigAccount",
        "stakeAuthority",
      ],
    },
    16: {
      type: "moveStake",
      accounts: ["source", "destination", "stakeAuthority"],
      data: [["lamports", u64]],
    },
    17: {
      type: "moveLamports",
      accounts: ["source", "destination", "stakeAuthority"],
      data: [["lamports", u64]],
    },
  },
};

/** The stake program: data in bincode. */
export const STAKE: Program = { name: "stake", tables: [INSTRUCTIONS] };
