import type { Subjects } from "../outside/slot-reads.ts";

export const SUBJECTS: Subjects = {
  owner: "8gfrbhNuxxcrVscdSafqfFdrVhdaUxPAhnAHpbx1Rogd",
  mint: "EiRKKW9xxrWMoqYUaDXGWTvux1azT2bkaPHi4DP6GUAK",
  program: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  blockhash: "AvGrBU66Lz4acbnCLcKzEyxpFetu5EQATfMpGMYGrxhp",
  signature:
    "3fXS2auUKYkSUwjxTcS2XkYQVRfkj55NRgjNgvSxKLfkoYiAr1g2gNLBYC3CviBncNh5WWXWzBJNt8YLP4igXkGL",
  wire: "AQABAgME",
};

const inContext = (value: unknown) => ({ context: { apiVersion: "3.0.14", slot: 73 }, value });
const account = {
  data: ["", "base64"],
  executable: false,
  lamports: 2_000_000_011,
  owner: SUBJECTS.program,
  rentEpoch: 0,
  space: 0,
};
const parsedAccount = {
  ...account,
  data: { parsed: { info: {}, type: "mint" }, program: "spl-token", space: 82 },
};
const keyed = { account, pubkey: SUBJECTS.owner };
const amount = { amount: "5", decimals: 6, uiAmount: 0.000005, uiAmountString: "0.000005" };

type Config = { readonly encoding?: string; readonly withContext?: boolean } | null | undefined;

/** A node's answers, in the form that was asked for. */
const READS: Readonly<Record<string, (config: Config) => unknown>> = {
  getAccountInfo: (config) =>
    inContext(config?.encoding === "jsonParsed" ? parsedAccount : account),
  getMultipleAccounts: (config) =>
    inContext(config?.encoding === "jsonParsed" ? [parsedAccount, null] : [account, null]),
  getBalance: () => inContext(2_000_000_011),
  getProgramAccounts: (config) => {
    const found = [
      config?.encoding === "jsonParsed" ? { ...keyed, account: parsedAccount } : keyed,
    ];
    return config?.withContext === true ? inContext(found) : found;
  },
  getTokenAccountsByOwner: (config) =>
    inContext([config?.encoding === "jsonParsed" ? { ...keyed, account: parsedAccount } : keyed]),
  getTokenAccountBalance: () => inContext(amount),
  getTokenSupply: () => inContext(amount),
  getLatestBlockhash: () => inContext({ blockhash: SUBJECTS.blockhash, lastValidBlockHeight: 223 }),
  isBlockhashValid: () => inContext(true),
  getFeeForMessage: () => inContext(5000),
  getMinimumBalanceForRentExemption: () => 2_039_280,
  getEpochInfo: () => ({
    ...{ absoluteSlot: 73, blockHeight: 73, epoch: 0, slotIndex: 73 },
    ...{ slotsInEpoch: 432_000, transactionCount: 129 },
  }),
  getHealth: () => "ok",
  getRecentPrioritizationFees: () => [{ prioritizationFee: 0, slot: 70 }],
  getSignaturesForAddress: () => [
    {
      ...{ blockTime: 1, confirmationStatus: "finalized", err: null, memo: null },
      ...{ signature: SUBJECTS.signature, slot: 5 },
    },
  ],
  simulateTransaction: () =>
    inContext({
      ...{ accounts: [account], err: null, innerInstructions: null, logs: [] },
      ...{ returnData: null, unitsConsumed: 150 },
    }),
  getBlocksWithLimit: () => [5, 6, 7],
  getSignatureStatuses: () => inContext([null]),
};

const VOTES = {
  ...{ activatedStake: 42, commission: 0, epochCredits: [[1, 64, 0]], epochVoteAccount: true },
  ...{ lastVote: 147, nodePubkey: SUBJECTS.owner, rootSlot: 42, votePubkey: SUBJECTS.mint },
};
const NODE = {
  ...{ featureSet: 1, gossip: "10.239.6.48:8001", pubkey: SUBJECTS.owner, rpc: null },
  ...{ shredVersion: 2405, tpu: "10.239.6.48:8856", version: "3.0.14" },
};

/** Of validators, stake and the cluster. */
const VALIDATOR_READS: Readonly<Record<string, () => unknown>> = {
  getTokenAccountsByDelegate: () => inContext([keyed]),
  getTokenLargestAccounts: () => inContext([{ ...amount, address: SUBJECTS.owner }]),
  getLargestAccounts: () => inContext([{ address: SUBJECTS.owner, lamports: 9 }]),
  getSupply: () =>
    inContext({ circulating: 1, nonCirculating: 2, nonCirculatingAccounts: [], total: 3 }),
  getVoteAccounts: () => ({ current: [VOTES], delinquent: [] }),
  getSlotLeader: () => SUBJECTS.owner,
  getSlotLeaders: () => [SUBJECTS.owner, SUBJECTS.owner],
  getLeaderSchedule: () => ({ [SUBJECTS.owner]: [0, 1, 2, 3] }),
  getBlockProduction: () =>
    inContext({
      byIdentity: { [SUBJECTS.owner]: [4, 3] },
      range: { firstSlot: 0, lastSlot: 73 },
    }),
  getInflationReward: () => [
    { amount: 2500, commission: null, effectiveSlot: 224, epoch: 2, postBalance: 499_999_442_500 },
    null,
  ],
  getInflationGovernor: () => ({
    ...{ foundation: 0.05, foundationTerm: 7, initial: 0.15, taper: 0.15, terminal: 0.015 },
  }),
  getInflationRate: () => ({ epoch: 100, foundation: 0.001, total: 0.149, validator: 0.148 }),
  getStakeMinimumDelegation: () => inContext(1_000_000_000),
  getTransactionCount: () => 268,
  getRecentPerformanceSamples: () => [
    {
      ...{ numNonVoteTransactions: 1, numSlots: 126, numTransactions: 126 },
      ...{ samplePeriodSecs: 60, slot: 73 },
    },
  ],
  getBlockCommitment: () => ({ commitment: null, totalStake: 42 }),
  getClusterNodes: () => [NODE],
  getHighestSnapshotSlot: () => ({ full: 70, incremental: null }),
  getMaxRetransmitSlot: () => 74,
  getMaxShredInsertSlot: () => 75,
  minimumLedgerSlot: () => 1,
  getEpochSchedule: () => ({
    ...{ firstNormalEpoch: 8, firstNormalSlot: 8160, leaderScheduleSlotOffset: 8192 },
    ...{ slotsPerEpoch: 8192, warmup: true },
  }),
};

/** A node's answers, in the form that a config asks for. */
export const SLOT_ANSWERS: Readonly<Record<string, (config: unknown) => unknown>> = {
  ...(READS as Readonly<Record<string, (config: unknown) => unknown>>),
  ...VALIDATOR_READS,
};
