import { address, createSolanaRpc } from "@solana/kit";
import { PublicKey } from "@solana/web3.js";
import type { Read, Subjects } from "./slot-reads.ts";
import { openWeb3 } from "./web3js.ts";

/** The reads of kit about validators, stake and the cluster, with everything that they can be told. */
export function kitValidatorReads(url: string, subjects: Subjects): Read[] {
  const rpc = createSolanaRpc(url);
  const [owner, mint] = [address(subjects.owner), address(subjects.mint)];
  const config = { commitment: "confirmed", minContextSlot: 5n } as const;
  const commitment = { commitment: "confirmed" } as const;
  return [
    [
      "getTokenAccountsByDelegate",
      () =>
        rpc.getTokenAccountsByDelegate(owner, { mint }, { ...config, encoding: "base64" }).send(),
    ],
    ["getTokenLargestAccounts", () => rpc.getTokenLargestAccounts(mint, commitment).send()],
    [
      "getLargestAccounts",
      () => rpc.getLargestAccounts({ ...commitment, filter: "nonCirculating" }).send(),
    ],
    [
      "getSupply",
      () => rpc.getSupply({ ...commitment, excludeNonCirculatingAccountsList: true }).send(),
    ],
    [
      "getVoteAccounts",
      () =>
        rpc
          .getVoteAccounts({
            ...{ ...commitment, delinquentSlotDistance: 128n, keepUnstakedDelinquents: true },
            votePubkey: mint as never,
          })
          .send(),
    ],
    ["getSlotLeader", () => rpc.getSlotLeader(config).send()],
    ["getSlotLeaders", () => rpc.getSlotLeaders(5n, 2).send()],
    [
      "getLeaderSchedule",
      () => rpc.getLeaderSchedule(5n, { ...commitment, identity: owner }).send(),
    ],
    ["getLeaderSchedule", () => rpc.getLeaderSchedule(null, commitment).send()],
    [
      "getBlockProduction",
      () =>
        rpc
          .getBlockProduction({
            ...{ ...commitment, identity: owner },
            range: { firstSlot: 0n, lastSlot: 73n },
          })
          .send(),
    ],
    [
      "getInflationReward",
      () => rpc.getInflationReward([owner, mint], { ...config, epoch: 2n }).send(),
    ],
    ["getInflationGovernor", () => rpc.getInflationGovernor(commitment).send()],
    ["getInflationRate", () => rpc.getInflationRate().send()],
    ["getStakeMinimumDelegation", () => rpc.getStakeMinimumDelegation(commitment).send()],
    ["getTransactionCount", () => rpc.getTransactionCount(config).send()],
    ["getRecentPerformanceSamples", () => rpc.getRecentPerformanceSamples(4).send()],
    ["getBlockCommitment", () => rpc.getBlockCommitment(5n).send()],
    ["getClusterNodes", () => rpc.getClusterNodes().send()],
    ["getHighestSnapshotSlot", () => rpc.getHighestSnapshotSlot().send()],
    ["getMaxRetransmitSlot", () => rpc.getMaxRetransmitSlot().send()],
    ["getMaxShredInsertSlot", () => rpc.getMaxShredInsertSlot().send()],
    ["minimumLedgerSlot", () => rpc.minimumLedgerSlot().send()],
    ["getEpochSchedule", () => rpc.getEpochSchedule().send()],
  ];
}

/** The same of web3.js, as far as it has them. */
export function web3ValidatorReads(url: string, subjects: Subjects): Read[] {
  const connection = openWeb3(url);
  const [owner, mint] = [new PublicKey(subjects.owner), new PublicKey(subjects.mint)];
  return [
    ["getTokenLargestAccounts", () => connection.getTokenLargestAccounts(mint, "confirmed")],
    ["getLargestAccounts", () => connection.getLargestAccounts({ filter: "circulating" })],
    ["getSupply", () => connection.getSupply({ excludeNonCirculatingAccountsList: true })],
    ["getVoteAccounts", () => connection.getVoteAccounts("confirmed")],
    ["getSlotLeader", () => connection.getSlotLeader({ minContextSlot: 5 })],
    ["getSlotLeaders", () => connection.getSlotLeaders(5, 2)],
    ["getLeaderSchedule", () => connection.getLeaderSchedule()],
    [
      "getBlockProduction",
      () =>
        connection.getBlockProduction({
          ...{ commitment: "confirmed", identity: subjects.owner },
          range: { firstSlot: 0, lastSlot: 73 },
        }),
    ],
    ["getInflationReward", () => connection.getInflationReward([owner, mint], 2)],
    ["getInflationGovernor", () => connection.getInflationGovernor("confirmed")],
    ["getInflationRate", () => connection.getInflationRate()],
    [
      "getStakeMinimumDelegation",
      () => connection.getStakeMinimumDelegation({ commitment: "confirmed" }),
    ],
    ["getTransactionCount", () => connection.getTransactionCount({ minContextSlot: 5 })],
    ["getRecentPerformanceSamples", () => connection.getRecentPerformanceSamples(4)],
    ["getClusterNodes", () => connection.getClusterNodes()],
    ["minimumLedgerSlot", () => connection.getMinimumLedgerSlot()],
    ["getEpochSchedule", () => connection.getEpochSchedule()],
  ];
}
