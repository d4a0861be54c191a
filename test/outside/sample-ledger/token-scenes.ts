import { type Keypair, type PublicKey, SystemProgram } from "@solana/web3.js";
import {
  amountToUiAmount,
  associatedAddress,
  burnChecked,
  closeAccount,
  createAssociated,
  initializeMint,
  memo,
  mintTo,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  transferChecked,
  transferUnchecked,
} from "./instructions.ts";
import { ALICE, BOB, CAROL, keyOf } from "./people.ts";
import type { SampleChain } from "./sample-chain.ts";

const MINT_BYTES = 82;
export const COIN = { key: keyOf("coin"), program: TOKEN_PROGRAM, decimals: 6 };
const NEW_COIN = { key: keyOf("new coin"), program: TOKEN_2022_PROGRAM, decimals: 2 };
type Coin = typeof COIN;

export const mintOf = ({ key, ...rest }: Coin) => ({ ...rest, mint: key.publicKey });
export const accountOf = (coin: Coin, { publicKey: owner }: Keypair): PublicKey =>
  associatedAddress({ owner, ...mintOf(coin) });

/** The mint, and accounts for it: those are made by programs that call programs. */
export function createCoin(chain: SampleChain): void {
  create(chain, COIN);
  const holders = [ALICE, BOB].map(({ publicKey: owner }) => ({ owner, ...mintOf(COIN) }));
  chain.send({
    signers: [ALICE],
    instructions: holders.map((holder) => createAssociated(ALICE.publicKey, holder)),
  });
  chain.endBlock();
}

/** More units than a double can tell apart are minted; some go on, with a memo. */
export function moveCoins(chain: SampleChain): void {
  const [from, to] = [accountOf(COIN, ALICE), accountOf(COIN, BOB)];
  const authority = ALICE.publicKey;
  chain.send({
    signers: [ALICE],
    instructions: [
      mintTo(mintOf(COIN), { account: from, authority, amount: 2n ** 53n + 1n }),
      transferChecked(mintOf(COIN), { from, to, owner: authority, amount: 1_500_000n }),
      memo("coins for Bob", [authority]),
    ],
  });
  const back = { from: to, to: from, owner: BOB.publicKey, amount: 500_000n };
  chain.send({ signers: [BOB], instructions: [transferUnchecked(mintOf(COIN), back)] });
  chain.endBlock();
}

/** More than Bob has: the token program's own error. */
export function overdraw(chain: SampleChain): void {
  const [from, to] = [accountOf(COIN, BOB), accountOf(COIN, ALICE)];
  const transfer = { from, to, owner: BOB.publicKey, amount: 5_000_000n };
  chain.send({ signers: [BOB], instructions: [transferChecked(mintOf(COIN), transfer)] });
}

/** The same under token-2022, from the mint to a transfer. */
export function moveNewCoins(chain: SampleChain): void {
  create(chain, NEW_COIN);
  const coin = mintOf(NEW_COIN);
  const [from, to] = [accountOf(NEW_COIN, ALICE), accountOf(NEW_COIN, CAROL)];
  const owner = ALICE.publicKey;
  chain.send({
    signers: [ALICE],
    instructions: [
      createAssociated(owner, { owner, ...coin }),
      createAssociated(owner, { owner: CAROL.publicKey, ...coin }),
      mintTo(coin, { account: from, authority: owner, amount: 10_000n }),
    ],
  });
  chain.send({
    signers: [ALICE],
    instructions: [transferChecked(coin, { from, to, owner, amount: 77n })],
  });
  chain.endBlock();
}

/** Burns what Bob has left and closes his account; asks for an amount as people read it. */
export function burnCoins(chain: SampleChain): void {
  const held = { account: accountOf(COIN, BOB), owner: BOB.publicKey };
  chain.send({
    signers: [BOB],
    instructions: [
      transferChecked(mintOf(COIN), {
        from: held.account,
        to: accountOf(COIN, ALICE),
        owner: held.owner,
        amount: 1_000_005n,
      }),
      burnChecked(mintOf(COIN), { ...held, amount: 1_000n }),
      closeAccount(mintOf(COIN), held),
    ],
  });
  chain.send({ signers: [CAROL], instructions: [amountToUiAmount(mintOf(COIN), 1_234_567n)] });
}

function create(chain: SampleChain, coin: Coin): void {
  const { program: programId, key } = coin;
  chain.send({
    signers: [ALICE, key],
    instructions: [
      SystemProgram.createAccount({
        fromPubkey: ALICE.publicKey,
        newAccountPubkey: key.publicKey,
        lamports: chain.rent(MINT_BYTES),
        space: MINT_BYTES,
        programId,
      }),
      initializeMint(mintOf(coin), ALICE.publicKey),
    ],
  });
}
