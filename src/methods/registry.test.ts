import { describe, expect, test } from "vitest";
import { FAMILIES } from "./families.ts";
import { EVM_METHODS, SLOT_METHODS } from "./registry.ts";

const { isWriting, lookUp } = FAMILIES.evm;

/** The price list of the README. */
const PRICES: Readonly<Record<number, readonly string[]>> = {
  5: [
    "eth_chainId",
    "eth_syncing",
    "net_version",
    "net_listening",
    "eth_protocolVersion",
    "eth_mining",
    "eth_hashrate",
  ],
  80: [
    "eth_getStorageAt",
    "eth_getBlockByHash",
    "eth_getBlockByNumber",
    "eth_getTransactionReceipt",
    "eth_call",
    "eth_accounts",
    "eth_blockNumber",
    "eth_gasPrice",
    "eth_feeHistory",
    "eth_getBalance",
    "eth_getCode",
    "eth_getTransactionByHash",
    "eth_getTransactionCount",
    "eth_maxPriorityFeePerGas",
    "eth_createAccessList",
    "web3_clientVersion",
    "web3_sha3",
    "eth_getHeaderByHash",
    "eth_getHeaderByNumber",
    "eth_getRawTransactionByHash",
    "net_peerCount",
    "eth_config",
    "eth_coinbase",
  ],
  150: [
    "eth_getTransactionByBlockNumberAndIndex",
    "eth_getUncleByBlockNumberAndIndex",
    "eth_getUncleByBlockHashAndIndex",
    "eth_getProof",
    "eth_getBlockTransactionCountByNumber",
    "eth_getBlockTransactionCountByHash",
    "eth_getTransactionByBlockHashAndIndex",
    "eth_getUncleCountByBlockNumber",
    "eth_getUncleCountByBlockHash",
    "eth_getRawTransactionByBlockHashAndIndex",
    "eth_getRawTransactionByBlockNumberAndIndex",
  ],
  255: ["eth_getLogs"],
  300: ["eth_estimateGas", "eth_blobBaseFee", "eth_simulateV1"],
  1000: ["eth_getBlockReceipts"],
};

/** The specification's positional params (Endpoints); `strict` stands for "required" that clients omit. */
const SPECIFIED: Readonly<Record<string, readonly (boolean | "strict")[]>> = {
  eth_getStorageAt: [true, true, "strict"],
  eth_estimateGas: [true, "strict", false, false],
  eth_call: [true, "strict", false, false],
  eth_getTransactionByBlockNumberAndIndex: [true, true],
  eth_getTransactionReceipt: [true],
  eth_getBlockByHash: [true, true],
  eth_getBlockByNumber: [true, true],
  eth_getUncleByBlockNumberAndIndex: [true, true],
  eth_getUncleByBlockHashAndIndex: [true, true],
};

const local = (method: string, params: string[], chainId?: number) =>
  lookUp(method)?.local?.(params, { chainId, head: undefined });

describe("the methods", () => {
  test("are those of the specification and their companions, at the documented prices", () => {
    const prices = Object.entries(PRICES).flatMap(([credits, methods]) =>
      methods.map((method) => [method, Number(credits)]),
    );
    const served = EVM_METHODS.map(({ method, credits }) => [method, credits]);
    expect(Object.fromEntries(served)).toEqual(Object.fromEntries(prices));
    expect(served.length).toBe(prices.length);
  });

  test("take the params of the specification", () => {
    for (const [method, required] of Object.entries(SPECIFIED)) {
      expect(lookUp(method)?.params.map((param) => param.required)).toEqual(required);
    }
  });

  test("are frozen, and found by their exact name alone", () => {
    for (const definition of EVM_METHODS) {
      expect(Object.isFrozen(definition)).toBe(true);
      expect(Object.isFrozen(definition.params)).toBe(true);
      expect(definition.params.every(Object.isFrozen)).toBe(true);
      expect(lookUp(definition.method)).toEqual(definition);
    }
    const others = ["", "eth_Call", "eth_call ", "__proto__", "constructor", "toString"];
    for (const method of others) expect(lookUp(method)).toBeUndefined();
  });

  test("say what stands in for an optional parameter before another one", () => {
    for (const { method, params } of EVM_METHODS) {
      for (const param of params.slice(0, -1)) {
        const standIn = param.fallback ?? param.placeholder;
        expect(param.required === true || standIn !== undefined, method).toBe(true);
      }
    }
  });

  test("look up or read state, never both", () => {
    expect(EVM_METHODS.filter((method) => method.lookup && method.state)).toEqual([]);
  });
});

describe("what the gateway answers itself", () => {
  test("is the chain's id where the configuration names it", () => {
    expect(local("eth_chainId", [], 31337)).toBe('"0x7a69"');
    expect(local("net_version", [], 31337)).toBe('"31337"');
    expect(local("eth_chainId", [])).toBeUndefined();
    expect(local("net_version", [])).toBeUndefined();
  });

  test("is no account, and Keccak-256 (not SHA3-256) of any bytes", () => {
    expect(local("eth_accounts", [])).toBe("[]");
    expect(local("web3_sha3", ["0x"])).toBe(
      '"0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"',
    );
    expect(local("web3_sha3", ["0x68656c6c6f20776f726c64"])).toBe(
      '"0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad"',
    );
  });

  test("is null for an index that no block reaches", () => {
    const methods = EVM_METHODS.filter(({ params }) => params[1]?.name === "index");
    expect(methods.length).toBe(6);
    for (const { method } of methods) {
      expect(local(method, ["0x1", "0x100000000"])).toBe("null");
      expect(local(method, ["0x1", "0xffffffff"])).toBeUndefined();
    }
  });
});

test("writing methods are known as such, reading ones are not", () => {
  const writing = [
    "eth_sendRawTransaction",
    "eth_sendTransaction",
    "eth_signTypedData_v4",
    "personal_unlockAccount",
    "debug_setHead",
    "anvil_setBalance",
    "evm_mine",
    "engine_newPayloadV4",
  ];
  for (const method of writing) expect(isWriting(method), method).toBe(true);
  const reading = ["eth_newFilter", "debug_traceCall", "eth_noSuch", "trace_block", ""];
  for (const method of reading) expect(isWriting(method), method).toBe(false);
  expect(EVM_METHODS.filter(({ method }) => isWriting(method))).toEqual([]);
});

describe("the methods of slot networks", () => {
  const named = [
    "getBlock getSlot getBlockHeight getBlocks getBlocksWithLimit getBlockTime",
    "getFirstAvailableBlock getTransaction getSignatureStatuses getAccountInfo",
    "getMultipleAccounts getBalance getProgramAccounts getTokenAccountsByOwner getLatestBlockhash",
    "getFeeForMessage getMinimumBalanceForRentExemption getEpochInfo getGenesisHash getVersion",
    "getHealth getSignaturesForAddress getTokenAccountBalance getTokenSupply isBlockhashValid",
    "getRecentPrioritizationFees simulateTransaction getTokenLargestAccounts getVoteAccounts",
    "getSupply getEpochSchedule getRecentPerformanceSamples getInflationReward getInflationRate",
    "getInflationGovernor getClusterNodes getTransactionCount getSlotLeader getSlotLeaders",
    "getTokenAccountsByDelegate getLeaderSchedule getBlockProduction getBlockCommitment",
    "getLargestAccounts getStakeMinimumDelegation getMaxRetransmitSlot getMaxShredInsertSlot",
    "getHighestSnapshotSlot minimumLedgerSlot",
  ].flatMap((line) => line.split(" "));

  test("are getBlock and the reads that clients make, at 160 credits each", () => {
    expect(SLOT_METHODS.map(({ method }) => method).toSorted()).toEqual(named.toSorted());
    expect(new Set(SLOT_METHODS.map(({ credits }) => credits))).toEqual(new Set([160]));
  });

  test("are frozen, and each family has its own", () => {
    for (const definition of SLOT_METHODS) {
      expect(Object.isFrozen(definition)).toBe(true);
      expect(Object.isFrozen(definition.params)).toBe(true);
      expect(definition.params.every(Object.isFrozen), definition.method).toBe(true);
      expect(FAMILIES.slot.lookUp(definition.method)).toEqual(definition);
      expect(lookUp(definition.method)).toBeUndefined();
    }
    expect(FAMILIES.slot.lookUp("eth_call")).toBeUndefined();
    expect(FAMILIES.slot.lookUp("tollgate_usage")).toEqual(lookUp("tollgate_usage"));
  });

  test("have their config last, so that a commitment is found there", () => {
    for (const { method, params } of SLOT_METHODS) {
      const place = params.findIndex(({ role }) => role === "config");
      expect([-1, params.length - 1], method).toContain(place);
    }
  });

  test("do not write", () => {
    const writing = ["sendTransaction", "requestAirdrop", "surfnet_setAccount"];
    for (const method of writing) expect(FAMILIES.slot.isWriting(method), method).toBe(true);
    const reading = ["getVoteAccounts", "simulateBundle", "eth_sendTransaction", ""];
    for (const method of reading) expect(FAMILIES.slot.isWriting(method), method).toBe(false);
    expect(SLOT_METHODS.filter(({ method }) => FAMILIES.slot.isWriting(method))).toEqual([]);
  });
});

test("each method says what it answers, for its page", () => {
  for (const { methods } of Object.values(FAMILIES)) {
    for (const { method, result = "" } of methods) expect(result, method).toMatch(/^\w.*[^.]$/s);
  }
});
