import { key, oneOf, skip, text, u8, u32, u64 } from "../fields.ts";
import type { Program, Table } from "../table.ts";
import { compactUpdate, towerSync, votedSlots, voteStateUpdate } from "../vote-fields.ts";

const AUTHORITY_TYPE = oneOf(["Voter", "Withdrawer"], u32);
const AUTHORIZE = ["voteAccount", "clockSysvar", "authority"];
const AUTHORIZE_WITH_SEED = ["voteAccount", "clockSysvar", "authorityBaseKey"];
const VOTE_ACCOUNTS = ["voteAccount", "slotHashesSysvar", "clockSysvar", "voteAuthority"];
const VOTE_AND_AUTHORITY = ["voteAccount", "voteAuthority"];

const INSTRUCTIONS: Table = {
  tag: u32,
  variants: {
    0: {
      type: "initialize",
      accounts: ["voteAccount", "rentSysvar", "clockSysvar", "node"],
      data: [
        ["node", skip(32)],
        ["authorizedVoter", key],
        ["authorizedWithdrawer", key],
        ["commission", u8],
      ],
    },
    1: {
      type: "authorize",
      accounts: AUTHORIZE,
      data: [
        ["newAuthority", key],
        ["authorityType", AUTHORITY_TYPE],
      ],
    },
    2: { type: "vote", accounts: VOTE_ACCOUNTS, data: [["vote", votedSlots]] },
    3: {
      type: "withdraw",
      accounts: ["voteAccount", "destination", "withdrawAuthority"],
      data: [["lamports", u64]],
    },
    4: {
      type: "updateValidatorIdentity",
      accounts: ["voteAccount", "newValidatorIdentity", "withdrawAuthority"],
    },
    5: {
      type: "updateCommission",
      accounts: ["voteAccount", "withdrawAuthority"],
      data: [["commission", u8]],
    },
    6: {
      type: "voteSwitch",
      accounts: VOTE_ACCOUNTS,
      data: [
        ["vote", votedSlots],
        ["hash", key],
      ],
    },
    7: {
      type: "authorizeChecked",
      accounts: [...AUTHORIZE, "newAuthority"],
      data: [["authorityType", AUTHORITY_TYPE]],
    },
    8: {
      type: "updatevotestate",
      accounts: VOTE_AND_AUTHORITY,
      data: [["voteStateUpdate", voteStateUpdate]],
    },
    9: {
      type: "updatevotestateswitch",
      accounts: VOTE_AND_AUTHORITY,
      data: [
        ["voteStateUpdate", voteStateUpdate],
        ["hash", key],
      ],
    },
    10: {
      type: "authorizeWithSeed",
      accounts: AUTHORIZE_WITH_SEED,
      data: [
        ["authorityType", AUTHORITY_TYPE],
        ["authorityOwner", key],
        ["authoritySeed", text],
        ["newAuthority", key],
      ],
    },
    11: {
      type: "authorizeCheckedWithSeed",
      accounts: [...AUTHORIZE_WITH_SEED, "newAuthority"],
      data: [
        ["authorityType", AUTHORITY_TYPE],
        ["authorityOwner", key],
        ["authoritySeed", text],
      ],
    },
    12: {
      type: "compactupdatevotestate",
      accounts: VOTE_AND_AUTHORITY,
      data: [["voteStateUpdate", compactUpdate]],
    },
    13: {
      type: "compactupdatevotestateswitch",
      accounts: VOTE_AND_AUTHORITY,
      data: [
        ["voteStateUpdate", compactUpdate],
        ["hash", key],
      ],
    },
    14: { type: "towersync", accounts: VOTE_AND_AUTHORITY, data: [["towerSync", towerSync]] },
    15: {
      type: "towersyncswitch",
      accounts: VOTE_AND_AUTHORITY,
      data: [
        ["towerSync", towerSync],
        ["hash", key],
      ],
    },
  },
};

/** The vote program: data in bincode. */
export const VOTE: Program = { name: "vote", tables: [INSTRUCTIONS] };
