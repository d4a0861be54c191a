import { base64, flag, i8, type Read, skip, someKey, u8, u64 } from "../fields.ts";
import type { Instruction, Table } from "../table.ts";

const OWNER = ["owner", "multisigOwner"] as const;
const WITHDRAW_AUTHORITY = [
  "withdrawWithheldAuthority",
  "multisigWithdrawWithheldAuthority",
] as const;

/** A balance that its owner alone can read. */
const encryptedBalance = base64(36);
/** A public key of ElGamal, shown as base64. */
const elGamalKey = base64(32);
const NO_KEY = Buffer.alloc(32).toString("base64");
const optionalElGamalKey: Read = (data) => {
  const shown = elGamalKey(data);
  return shown === NO_KEY ? null : shown;
};
/** Two amounts encrypted for an auditor, which agave does not show. */
const AUDITOR_AMOUNTS = ["auditorAmounts", skip(128)] as const;

const PROOF_OFFSET = ["proofInstructionOffset", i8] as const;
const PROOF_WITH_RECORD = { context: "proofContextStateAccount", record: "recordAccount" };
const THREE_PROOFS = ["equalityProof", "ciphertextValidityProof", "rangeProof"];

/** The offset of each proof among the transaction's instructions; 0: it is in an account. */
function offsets(proofs: readonly string[]) {
  return proofs.map((proof) => [`${proof}InstructionOffset`, i8] as const);
}

function ownersSwitch(type: string): Instruction {
  return { type, accounts: ["account"], signers: OWNER };
}

const TRANSFER: Table = {
  tag: u8,
  variants: {
    0: {
      type: "initializeConfidentialTransferMint",
      accounts: ["mint"],
      data: [
        ["authority", someKey],
        ["autoApproveNewAccounts", flag],
        ["auditorElGamalPubkey", optionalElGamalKey],
      ],
      whole: true,
    },
    1: {
      type: "updateConfidentialTransferMint",
      accounts: ["mint", "confidentialTransferMintAuthority"],
      data: [
        ["autoApproveNewAccounts", flag],
        ["auditorElGamalPubkey", optionalElGamalKey],
      ],
      whole: true,
    },
    2: {
      type: "configureConfidentialTransferAccount",
      accounts: ["account", "mint"],
      data: [
        ["decryptableZeroBalance", encryptedBalance],
        ["maximumPendingBalanceCreditCounter", u64],
        PROOF_OFFSET,
      ],
      whole: true,
      proof: PROOF_WITH_RECORD,
      signers: OWNER,
    },
    3: {
      type: "approveConfidentialTransferAccount",
      accounts: ["account", "mint", "confidentialTransferAuditorAuthority"],
    },
    4: {
      type: "emptyConfidentialTransferAccount",
      accounts: ["account"],
      data: [PROOF_OFFSET],
      whole: true,
      proof: PROOF_WITH_RECORD,
      signers: OWNER,
    },
    5: {
      type: "depositConfidentialTransfer",
      accounts: ["source", "destination", "mint"],
      data: [
        ["amount", u64],
        ["decimals", u8],
      ],
      whole: true,
      signers: OWNER,
    },
    6: {
      type: "withdrawConfidentialTransfer",
      accounts: ["source", "destination", "mint"],
      least: 5,
      data: [
        ["amount", u64],
        ["decimals", u8],
        ["newDecryptableAvailableBalance", encryptedBalance],
        ...offsets(["equalityProof", "rangeProof"]),
      ],
      whole: true,
      proofs: ["equalityProof", "rangeProof"],
      signers: OWNER,
    },
    7: {
      type: "confidentialTransfer",
      accounts: ["source", "mint", "destination"],
      data: [
        ["newSourceDecryptableAvailableBalance", encryptedBalance],
        AUDITOR_AMOUNTS,
        ...offsets(THREE_PROOFS),
      ],
      whole: true,
      proofs: THREE_PROOFS,
      signers: OWNER,
    },
    8: {
      type: "applyPendingConfidentialTransferBalance",
      accounts: ["account"],
      data: [
        ["expectedPendingBalanceCreditCounter", u64],
        ["newDecryptableAvailableBalance", encryptedBalance],
      ],
      whole: true,
      signers: OWNER,
    },
    9: ownersSwitch("enableConfidentialTransferConfidentialCredits"),
    10: ownersSwitch("disableConfidentialTransferConfidentialCredits"),
    11: ownersSwitch("enableConfidentialTransferNonConfidentialCredits"),
    12: ownersSwitch("disableConfidentialTransferNonConfidentialCredits"),
    13: {
      type: "confidentialTransferWithFee",
      accounts: ["source", "mint", "destination"],
      data: [
        ["newSourceDecryptableAvailableBalance", encryptedBalance],
        AUDITOR_AMOUNTS,
        ...offsets([
          "equalityProof",
          "transferAmountCiphertextValidityProof",
          "feeSigmaProof",
          "feeCiphertextValidityProof",
          "rangeProof",
        ]),
      ],
      whole: true,
      // The accounts come in another order than the offsets.
      proofs: [
        "equalityProof",
        "transferAmountCiphertextValidityProof",
        "feeCiphertextValidityProof",
        "feeSigmaProof",
        "rangeProof",
      ],
      signers: OWNER,
    },
    14: {
      type: "configureConfidentialAccountWithRegistry",
      accounts: ["account", "mint", "registry"],
    },
  },
};

const TRANSFER_FEE: Table = {
  tag: u8,
  variants: {
    0: {
      type: "initializeConfidentialTransferFeeConfig",
      accounts: ["mint"],
      data: [
        ["authority", someKey],
        ["withdrawWithheldAuthorityElGamalPubkey", elGamalKey],
      ],
      whole: true,
    },
    1: {
      type: "withdrawWithheldConfidentialTransferTokensFromMint",
      accounts: ["mint", "feeRecipient"],
      data: [PROOF_OFFSET, ["newDecryptableAvailableBalance", encryptedBalance]],
      whole: true,
      proof: PROOF_WITH_RECORD,
      signers: WITHDRAW_AUTHORITY,
    },
    2: {
      type: "withdrawWithheldConfidentialTransferTokensFromAccounts",
      accounts: ["mint", "feeRecipient"],
      data: [
        ["numTokenAccounts", u8],
        PROOF_OFFSET,
        ["newDecryptableAvailableBalance", encryptedBalance],
      ],
      whole: true,
      countedSources: "numTokenAccounts",
      proof: { context: "proofContextStateAccount", record: "proofAccount" },
      signers: WITHDRAW_AUTHORITY,
    },
    3: {
      type: "harvestWithheldConfidentialTransferTokensToMint",
      accounts: ["mint"],
      rest: "sourceAccounts",
    },
    4: ownersSwitch("enableConfidentialTransferFeeHarvestToMint"),
    5: ownersSwitch("disableConfidentialTransferFeeHarvestToMint"),
  },
};

/** Minting and burning of amounts that nobody sees. */
function supplyChange(type: string, balance: string): Instruction {
  return {
    type,
    accounts: ["destination", "mint"],
    data: [[balance, encryptedBalance], AUDITOR_AMOUNTS, ...offsets(THREE_PROOFS)],
    whole: true,
    proofs: THREE_PROOFS,
    signers: OWNER,
  };
}

const MINT_BURN: Table = {
  tag: u8,
  variants: {
    0: {
      type: "initializeConfidentialMintBurnMint",
      accounts: ["mint"],
      data: [
        ["supplyElGamalPubkey", elGamalKey],
        ["decryptableSupply", encryptedBalance],
      ],
      whole: true,
    },
    1: {
      type: "rotateConfidentialMintBurnSupplyElGamalPubkey",
      accounts: ["mint"],
      data: [["newSupplyElGamalPubkey", elGamalKey], PROOF_OFFSET],
      whole: true,
      proof: { context: "proofAccount" },
      signers: OWNER,
    },
    2: {
      type: "updateConfidentialMintBurnDecryptableSupply",
      accounts: ["mint"],
      data: [["newDecryptableSupply", encryptedBalance]],
      whole: true,
      signers: OWNER,
    },
    3: supplyChange("confidentialMint", "newDecryptableSupply"),
    4: supplyChange("confidentialBurn", "newDecryptableAvailableBalance"),
    5: { type: "applyPendingBurn", accounts: ["mint"], signers: OWNER },
  },
};

/** The confidential extensions of token-2022, by the byte that names them. */
export const CONFIDENTIAL_EXTENSIONS: Table["variants"] = {
  27: TRANSFER,
  37: TRANSFER_FEE,
  42: MINT_BURN,
};
