import { decodeBase58, encodeBase58 } from "../src/block-files/base58.ts";
import type { Message, Transaction } from "../src/block-files/wire.ts";
import { hex } from "./chain.ts";

type Random = () => number;
type Meta = Readonly<Record<string, unknown>>;

/** A transaction and what a node recorded of it. */
export type Made = { readonly wire: Transaction; readonly meta: Meta };

const VOTE_PROGRAM = "Vote111111111111111111111111111111111111111";
const BUDGET_PROGRAM = "ComputeBudget111111111111111111111111111111";
const TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const SWAP_PROGRAM = "675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8";
const MINT = "So11111111111111111111111111111111111111112";
const VOTE_DATA_BYTES = 148;
const ACCOUNTS = 14;
const LOADED = { writable: 6, readonly: 4 };
const PLACES_OF_PROGRAMS = { budget: ACCOUNTS, token: ACCOUNTS + 1, swap: ACCOUNTS + 2 };

/** A validator's vote: legacy, one signature, one instruction. */
export function vote(random: Random): Made {
  const accountKeys = [bytes(random, 32), bytes(random, 32), decodeBase58(VOTE_PROGRAM)];
  const data = bytes(random, VOTE_DATA_BYTES);
  const instructions = [{ programIdIndex: 2, accounts: Uint8Array.of(1, 0), data }];
  const header = headerOf(1);
  const message = { version: "legacy", header, accountKeys, instructions } as const;
  const logMessages = [`Program ${VOTE_PROGRAM} invoke [1]`, `Program ${VOTE_PROGRAM} success`];
  const meta = metaOf(random, { accounts: 3, logMessages, innerInstructions: [], owners: [] });
  return { wire: signed(random, { ...message, addressTableLookups: [] }), meta };
}

/** A swap: of four instructions, with inner ones and token balances; every other one of version 0. */
export function swap(random: Random): Made {
  const hasTable = random() % 2 === 0;
  const { budget, token, swap: program } = PLACES_OF_PROGRAMS;
  const keys = Array.from({ length: ACCOUNTS }, () => bytes(random, 32));
  const programs = [BUDGET_PROGRAM, TOKEN_PROGRAM, SWAP_PROGRAM].map(decodeBase58);
  const call = (programIdIndex: number, accounts: number, data: number) => ({
    programIdIndex,
    accounts: Uint8Array.from({ length: accounts }, () => random() % ACCOUNTS),
    data: bytes(random, data),
  });
  const instructions = [call(budget, 0, 5), call(budget, 0, 9), call(program, 18, 17)];
  const inner = [call(token, 3, 9), call(token, 3, 9), call(program, 9, 40)];
  const lookup = {
    accountKey: bytes(random, 32),
    writableIndexes: bytes(random, LOADED.writable),
    readonlyIndexes: bytes(random, LOADED.readonly),
  };
  const wire = signed(random, {
    version: hasTable ? 0 : "legacy",
    header: headerOf(programs.length),
    accountKeys: [...keys, ...programs],
    instructions: [...instructions, call(token, 3, 9)],
    addressTableLookups: hasTable ? [lookup] : [],
  });
  const loaded = hasTable ? LOADED.writable + LOADED.readonly : 0;
  const meta = metaOf(random, {
    accounts: ACCOUNTS + programs.length + loaded,
    logMessages: swapLogs(random),
    innerInstructions: [
      {
        index: 2,
        instructions: inner.map(({ programIdIndex, accounts, data }) => ({
          accounts: [...accounts],
          data: encodeBase58(data),
          programIdIndex,
          stackHeight: 2,
        })),
      },
    ],
    owners: keys.slice(0, 4).map(encodeBase58),
  });
  return { wire, meta: hasTable ? { ...meta, loadedAddresses: loadedOf(random) } : meta };
}

/** One signer; the programs are last and readonly. */
const headerOf = (programs: number): Message["header"] => ({
  numRequiredSignatures: 1,
  numReadonlySignedAccounts: 0,
  numReadonlyUnsignedAccounts: programs,
});

function signed(random: Random, message: Omit<Message, "recentBlockhash">): Transaction {
  const signatures = [bytes(random, 64)];
  return { signatures, message: { ...message, recentBlockhash: bytes(random, 32) } };
}

function loadedOf(random: Random): Readonly<Record<"readonly" | "writable", string[]>> {
  const keys = (length: number) => Array.from({ length }, () => encodeBase58(bytes(random, 32)));
  return { readonly: keys(LOADED.readonly), writable: keys(LOADED.writable) };
}

/** What a swap of two tokens writes: its program's own text as base64, and its callees'. */
function swapLogs(random: Random): string[] {
  const transfer = [
    `Program ${TOKEN_PROGRAM} invoke [2]`,
    "Program log: Instruction: Transfer",
    `Program ${TOKEN_PROGRAM} consumed 4645 of ${random() % 200_000} compute units`,
    `Program ${TOKEN_PROGRAM} success`,
  ];
  return [
    `Program ${BUDGET_PROGRAM} invoke [1]`,
    `Program ${BUDGET_PROGRAM} success`,
    `Program ${BUDGET_PROGRAM} invoke [1]`,
    `Program ${BUDGET_PROGRAM} success`,
    `Program ${SWAP_PROGRAM} invoke [1]`,
    `Program log: ray_log: ${Buffer.from(bytes(random, 57)).toString("base64")}`,
    ...transfer,
    ...transfer,
    `Program ${SWAP_PROGRAM} consumed 61209 of ${random() % 400_000} compute units`,
    `Program ${SWAP_PROGRAM} success`,
  ];
}

function metaOf(
  random: Random,
  options: {
    readonly accounts: number;
    readonly logMessages: readonly string[];
    readonly innerInstructions: readonly unknown[];
    readonly owners: readonly string[];
  },
): Meta {
  const { accounts, owners, ...rest } = options;
  const balances = Array.from({ length: accounts }, () => random());
  const tokens = () => owners.map((owner, at) => tokenBalance(random, { owner, at }));
  return {
    computeUnitsConsumed: random() % 300_000,
    costUnits: random() % 310_000,
    err: null,
    fee: 5000,
    innerInstructions: rest.innerInstructions,
    loadedAddresses: { readonly: [], writable: [] },
    logMessages: rest.logMessages,
    postBalances: balances.map((balance) => Math.max(balance - 5000, 0)),
    postTokenBalances: tokens(),
    preBalances: balances,
    preTokenBalances: tokens(),
    rewards: null,
    status: { Ok: null },
  };
}

function tokenBalance(random: Random, { owner, at }: { owner: string; at: number }): Meta {
  const amount = random();
  const uiAmount = amount / 1e9;
  return {
    accountIndex: at + 1,
    mint: MINT,
    owner,
    programId: TOKEN_PROGRAM,
    uiTokenAmount: {
      amount: String(amount),
      decimals: 9,
      uiAmount,
      uiAmountString: String(uiAmount),
    },
  };
}

function bytes(random: Random, size: number): Uint8Array {
  return Buffer.from(hex(random, size), "hex");
}
