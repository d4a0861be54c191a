import { ALICE, BOB, CAROL, keyOf, LEADER, WHALE } from "./people.ts";
import { type Reward, SampleChain } from "./sample-chain.ts";
import { failures, hugeAmounts, pay, stake, transfers } from "./system-scenes.ts";
import { createTable, failWithTable, transferByTable, useTable } from "./table-scenes.ts";
import {
  accountOf,
  burnCoins,
  COIN,
  createCoin,
  moveCoins,
  moveNewCoins,
  overdraw,
} from "./token-scenes.ts";

/** The last slots of one epoch; the next begins at 432000. */
const FIRST_SLOT = 431_991;
const FIRST_HEIGHT = 410_233;
const SOL = 1_000_000_000n;
/** A double cannot hold it. */
const HUGE = 2n ** 53n + 12_345n;

export type Story = {
  readonly chain: SampleChain;
  readonly finalizedSlot: number;
  /** Where to find what. */
  readonly samples: Readonly<Record<string, number | string>>;
};

/** What happens, block by block. */
export function tellStory(): Story {
  const chain = new SampleChain({
    slot: FIRST_SLOT,
    height: FIRST_HEIGHT,
    leader: LEADER.publicKey,
  });
  for (const { publicKey } of [LEADER, ALICE, BOB, CAROL]) chain.fund(publicKey, 100n * SOL);
  chain.fund(WHALE.publicKey, HUGE);

  const legacySlot = chain.slot;
  const signature = transfers(chain);
  createCoin(chain);
  const tokenSlot = chain.slot;
  moveCoins(chain);
  const skippedSlot = chain.slot;
  chain.skip();
  const failedSlot = chain.slot;
  failures(chain);
  overdraw(chain);
  chain.endBlock();
  const table = createTable(chain);
  const versionedSlot = chain.slot;
  const versionedSignature = useTable(chain, table);
  chain.skip();

  const rewardsSlot = chain.slot;
  beginEpoch(chain);
  const emptySlot = chain.slot;
  chain.endBlock();
  moveNewCoins(chain);
  hugeAmounts(chain);
  failWithTable(chain, table);
  const finalizedSlot = chain.slot - 1;
  stake(chain);
  chain.send({ signers: [BOB], tables: [], instructions: [pay(BOB, CAROL.publicKey, 7)] });
  transferByTable(chain, table);
  burnCoins(chain);
  chain.endBlock();
  chain.send({ signers: [BOB], instructions: [pay(BOB, CAROL.publicKey, 1_000_001)] });
  chain.endBlock();

  const slots = { legacySlot, tokenSlot, skippedSlot, failedSlot, versionedSlot, rewardsSlot };
  const tokenAccount = accountOf(COIN, ALICE).toBase58();
  const samples = { ...slots, emptySlot, signature, versionedSignature, tokenAccount };
  return { chain, finalizedSlot, samples };
}

/** An epoch's first block tells the voters' rewards, the next the stakers'. */
function beginEpoch(chain: SampleChain): void {
  const rewards: Reward[] = [
    { name: "vote account", lamports: 1_234_567n, rewardType: "Voting", commission: 5 },
    { name: "other vote account", lamports: 98_765_432n, rewardType: "Voting", commission: 100 },
  ].map(rewardOf);
  chain.send({ signers: [CAROL], tables: [], instructions: [pay(CAROL, ALICE.publicKey, 99)] });
  chain.endBlock(rewards, 1);
  const stakers: Reward[] = [
    { name: "staker", lamports: 23_456_789n, rewardType: "Staking", commission: 5 },
    { name: "huge staker", lamports: HUGE, rewardType: "Staking", commission: 5 },
  ].map(rewardOf);
  chain.send({ signers: [ALICE], instructions: [pay(ALICE, BOB.publicKey, 100)] });
  chain.endBlock(stakers);
}

type NamedReward = Omit<Reward, "pubkey" | "rewardType"> & {
  readonly name: string;
  readonly rewardType: string;
};

function rewardOf({ name, rewardType, ...amounts }: NamedReward): Reward {
  const pubkey = keyOf(name).publicKey;
  return { ...amounts, pubkey, rewardType: rewardType as Reward["rewardType"] };
}
