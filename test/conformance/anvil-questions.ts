import type { Samples } from "../../src/dev/samples.ts";

/** What the questions are asked about: the samples, and a transaction that waits to be mined. */
export type Asked = { readonly samples: Samples; readonly pendingHash: string };

/** The params of each question, by what it asks for. */
export type Questions = Readonly<Record<string, (asked: Asked) => readonly unknown[]>>;

const NOTHING: Questions = { "without params": () => [] };
const UNKNOWN = `0x${"11".repeat(32)}`;
const BEYOND_HEAD = "0xffffff";
const TAGS = ["latest", "earliest", "pending", "safe", "finalized"];
const SAMPLES = [
  "creation",
  "legacy",
  "accessList",
  "feeMarket",
  "setCode",
  "failing",
  "blob",
] as const;

const blockHash = ({ samples }: Asked) => samples.transactions.legacy.blockHash;
/** One question for each element. */
const each = <Element>(
  elements: readonly Element[],
  params: (asked: Asked, element: Element) => readonly unknown[],
): Questions =>
  Object.fromEntries(
    elements.map((element) => [
      typeof element === "string" ? element : JSON.stringify(element),
      (asked: Asked) => params(asked, element),
    ]),
  );

/** A block by every form that a look-up takes, `rest` after it. */
const blocksByNumber = (rest: readonly unknown[]): Questions =>
  each(["0x0", "0x1", "0x2", BEYOND_HEAD, ...TAGS], (_, block) => [block, ...rest]);
const blocksByHash = (rest: readonly unknown[]): Questions => ({
  "of type 2 alone": ({ samples }) => [samples.transactions.creation.blockHash, ...rest],
  "of all types": (asked) => [blockHash(asked), ...rest],
  unknown: () => [UNKNOWN, ...rest],
});
const indexed = (questions: (rest: readonly unknown[]) => Questions): Questions =>
  Object.assign(
    {},
    ...["0x0", "0x5", "0x6", "0xffffffff"].map((index) =>
      Object.fromEntries(
        Object.entries(questions([index])).map(([name, params]) => [`${name} ${index}`, params]),
      ),
    ),
  );

const ANY_BLOCK: Questions = {
  ...blocksByNumber([]),
  "by hash": (asked) => [blockHash(asked)],
};
const CALL_TRACER = { tracer: "callTracer" };

/** The block parameter of a state method, in all its forms. */
const STATES: readonly ((asked: Asked) => readonly unknown[])[] = [
  () => [],
  ...["0x2", BEYOND_HEAD, ...TAGS].map((block) => () => [block]),
  (asked) => [blockHash(asked)],
  () => [UNKNOWN],
  (asked) => [{ blockHash: blockHash(asked) }],
  (asked) => [{ blockHash: blockHash(asked), requireCanonical: true }],
  () => [{ blockHash: UNKNOWN }],
  () => [{ blockNumber: "0x2" }],
];
/** `params` at every state. */
const atStates = (params: (asked: Asked) => readonly unknown[]): Questions =>
  Object.fromEntries(
    STATES.map((state, index) => [
      `state ${index}`,
      (asked: Asked) => [...params(asked), ...state(asked)],
    ]),
  );

const ofAccount = (account: keyof Samples["accounts"]) =>
  atStates(({ samples }) => [samples.accounts[account]]);

/** The same questions under names that tell them from others. */
const under = (name: string, questions: Questions): Questions =>
  Object.fromEntries(
    Object.entries(questions).map(([key, params]) => [`${name}, ${key}`, params] as const),
  );

const calls = (rest: (asked: Asked) => readonly unknown[] = () => []): Questions => ({
  ...each(["greeting", "balanceOf", "transfer"] as const, (asked, name) => [
    asked.samples.calls[name],
    ...rest(asked),
  ]),
  ...each(["reason", "custom", "panic"] as const, (asked, name) => [
    asked.samples.reverts[name],
    ...rest(asked),
  ]),
  "a revert without data": ({ samples }) => [{ to: samples.contract, data: "0x12345678" }],
  "a creation": ({ samples }) => [{ from: samples.accounts.sender, data: "0x60006000f3" }],
  "a transfer of value": ({ samples: { accounts } }) => [
    { from: accounts.sender, to: accounts.receiver, value: "0x1" },
  ],
  "more value than there is": ({ samples: { accounts } }) => [
    { from: accounts.sender, to: accounts.receiver, value: `0x${"f".repeat(32)}` },
  ],
  "an invalid opcode": ({ samples }) => [{ from: samples.accounts.sender, data: "0xfe" }],
  "too little gas": ({ samples }) => [{ ...samples.calls.transfer, gas: "0x5400" }],
});

/** Every method and what it is asked; eth_accounts is answered by the gateway alone. */
export const QUESTIONS: Readonly<Record<string, Questions>> = {
  eth_getBlockByNumber: {
    ...under("hashes", blocksByNumber([false])),
    ...under("objects", blocksByNumber([true])),
  },
  eth_getBlockByHash: {
    ...under("hashes", blocksByHash([false])),
    ...under("objects", blocksByHash([true])),
  },
  eth_getHeaderByNumber: blocksByNumber([]),
  eth_getHeaderByHash: blocksByHash([]),
  eth_getRawTransactionByHash: {
    ...each(SAMPLES, ({ samples }, name) => [samples.transactions[name].hash]),
    pending: ({ pendingHash }) => [pendingHash],
    unknown: () => [UNKNOWN],
  },
  eth_getRawTransactionByBlockNumberAndIndex: indexed(blocksByNumber),
  eth_getRawTransactionByBlockHashAndIndex: indexed(blocksByHash),
  eth_getUncleByBlockNumberAndIndex: indexed(blocksByNumber),
  eth_getUncleByBlockHashAndIndex: indexed(blocksByHash),
  eth_getUncleCountByBlockNumber: blocksByNumber([]),
  eth_getUncleCountByBlockHash: blocksByHash([]),
  eth_getBlockTransactionCountByNumber: blocksByNumber([]),
  eth_getBlockTransactionCountByHash: blocksByHash([]),
  eth_getBlockReceipts: {
    ...blocksByNumber([]),
    "by hash": (asked) => [blockHash(asked)],
    "by EIP-1898 object": (asked) => [{ blockHash: blockHash(asked) }],
  },
  eth_getTransactionByBlockNumberAndIndex: {
    ...indexed(blocksByNumber),
    ...each(SAMPLES, ({ samples }, name) => {
      const { blockNumber, transactionIndex } = samples.transactions[name];
      return [blockNumber, transactionIndex];
    }),
  },
  eth_getTransactionByBlockHashAndIndex: {
    ...indexed(blocksByHash),
    ...each(SAMPLES, ({ samples }, name) => {
      const transaction = samples.transactions[name];
      return [transaction.blockHash, transaction.transactionIndex];
    }),
  },
  eth_getTransactionByHash: {
    ...each(SAMPLES, ({ samples }, name) => [samples.transactions[name].hash]),
    pending: ({ pendingHash }) => [pendingHash],
    unknown: () => [UNKNOWN],
  },
  eth_getTransactionReceipt: {
    ...each(SAMPLES, ({ samples }, name) => [samples.transactions[name].hash]),
    pending: ({ pendingHash }) => [pendingHash],
    unknown: () => [UNKNOWN],
  },
  eth_getStorageAt: {
    ...each(["totalSupply", "balance", "greeting", "counter"] as const, ({ samples }, slot) => [
      samples.contract,
      samples.storage[slot].position,
      "latest",
    ]),
    ...atStates(({ samples }) => [samples.contract, samples.storage.counter.position]),
    "an empty slot": ({ samples }) => [samples.contract, "0xff", "latest"],
    "an account without storage": ({ samples }) => [samples.accounts.sender, "0x0", "latest"],
  },
  eth_getBalance: { ...under("sender", ofAccount("sender")), ...ofAccount("receiver") },
  eth_getTransactionCount: ofAccount("sender"),
  eth_getCode: {
    ...atStates(({ samples }) => [samples.contract]),
    ...under("delegated", ofAccount("delegated")),
    ...under("none", ofAccount("receiver")),
  },
  eth_getProof: {
    ...atStates(({ samples }) => [samples.contract, [samples.storage.balance.position]]),
    "an account alone": ({ samples }) => [samples.accounts.sender, [], "0x2"],
  },
  eth_call: {
    ...under("no block", calls()),
    ...under(
      "latest",
      calls(() => ["latest"]),
    ),
    ...under(
      "of all types",
      calls((asked) => [{ blockHash: blockHash(asked) }]),
    ),
    ...atStates(({ samples }) => [samples.calls.balanceOf]),
    "state overrides": ({ samples }) => [
      samples.calls.greeting,
      "latest",
      { [samples.contract]: { code: "0x60005ff3" } },
    ],
  },
  eth_estimateGas: {
    ...under("no block", calls()),
    ...under(
      "latest",
      calls(() => ["latest"]),
    ),
    ...atStates(({ samples }) => [samples.calls.transfer]),
  },
  eth_simulateV1: {
    ...atStates(({ samples }) => [
      { blockStateCalls: [{ calls: [samples.calls.balanceOf, samples.calls.transfer] }] },
    ]),
    "two blocks, with transfers": ({ samples: { accounts, calls } }) => [
      {
        blockStateCalls: [
          { stateOverrides: { [accounts.receiver]: { balance: "0x64" } }, calls: [calls.greeting] },
          { calls: [{ from: accounts.receiver, to: accounts.sender, value: "0x1" }] },
        ],
        traceTransfers: true,
      },
      "0x2",
    ],
    "a revert": ({ samples }) => [
      { blockStateCalls: [{ calls: [samples.reverts.reason] }] },
      "latest",
    ],
  },
  eth_createAccessList: {
    ...under("no block", calls()),
    ...atStates(({ samples }) => [samples.calls.transfer]),
  },
  eth_getLogs: {
    all: () => [{ fromBlock: "0x1", toBlock: "0x2" }],
    "to the head": () => [{ fromBlock: "earliest", toBlock: "latest" }],
    "of a block": (asked) => [{ blockHash: blockHash(asked) }],
    "of a contract, by topic": ({ samples }) => [
      {
        fromBlock: "0x0",
        toBlock: "0x2",
        address: [samples.contract],
        topics: [null, [`0x${samples.accounts.sender.slice(2).padStart(64, "0")}`]],
      },
    ],
    none: ({ samples }) => [
      { fromBlock: "0x1", toBlock: "0x2", address: samples.accounts.receiver },
    ],
  },
  eth_feeHistory: {
    "with rewards": () => ["0x2", "0x2", [10, 50.5, 90]],
    "without rewards": () => ["0x4", "latest", []],
    "rewards left out": () => ["0x1", "0x1"],
  },
  debug_traceTransaction: {
    ...each(SAMPLES, ({ samples }, name) => [samples.transactions[name].hash, CALL_TRACER]),
    "without a tracer": ({ samples }) => [samples.transactions.legacy.hash],
    unknown: () => [UNKNOWN],
  },
  debug_traceCall: {
    ...atStates(({ samples }) => [samples.calls.balanceOf]),
    "with a tracer": ({ samples }) => [samples.calls.transfer, "latest", CALL_TRACER],
  },
  debug_traceBlockByNumber: blocksByNumber([CALL_TRACER]),
  debug_traceBlockByHash: blocksByHash([CALL_TRACER]),
  debug_getRawBlock: ANY_BLOCK,
  debug_getRawHeader: ANY_BLOCK,
  debug_getRawReceipts: ANY_BLOCK,
  trace_block: blocksByNumber([]),
  trace_transaction: {
    ...each(SAMPLES, ({ samples }, name) => [samples.transactions[name].hash]),
    unknown: () => [UNKNOWN],
  },
  trace_call: atStates(({ samples }) => [samples.calls.transfer, ["trace"]]),
  trace_filter: {
    all: () => [{ fromBlock: "0x1", toBlock: "0x2" }],
    "to an address": ({ samples }) => [
      { fromBlock: "0x1", toBlock: "0x2", toAddress: [samples.contract] },
    ],
  },
  trace_replayTransaction: {
    ...each(SAMPLES, ({ samples }, name) => [samples.transactions[name].hash, ["trace"]]),
    unknown: () => [UNKNOWN, ["trace"]],
  },
  txpool_status: NOTHING,
  txpool_inspect: NOTHING,
  txpool_content: NOTHING,
  txpool_contentFrom: { sender: ({ samples }) => [samples.accounts.sender] },
  eth_chainId: NOTHING,
  net_version: NOTHING,
  eth_blockNumber: NOTHING,
  eth_syncing: NOTHING,
  net_listening: NOTHING,
  web3_clientVersion: NOTHING,
  eth_gasPrice: NOTHING,
  eth_maxPriorityFeePerGas: NOTHING,
  eth_blobBaseFee: NOTHING,
  net_peerCount: NOTHING,
  eth_protocolVersion: NOTHING,
  eth_config: NOTHING,
  eth_mining: NOTHING,
  eth_hashrate: NOTHING,
  eth_coinbase: NOTHING,
  web3_sha3: each(["0x", "0x68656c6c6f"], (_, data) => [data]),
};
