import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SAMPLE_LEDGER } from "../../src/dev/slot-samples.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import {
  type BlockOptions,
  type Details,
  type Encoding,
  expectBlock,
  type StoredBlock,
  versionError,
} from "./block-oracle.ts";
import { parseExactly } from "./exact.ts";
import {
  type Blocks,
  ledgerNetwork,
  SAMPLE_BLOCKS,
  SAMPLE_HEAD,
  writeLedger,
} from "./ledger-folder.ts";
import { type Answer, callText, post, resultText } from "./rig.ts";

const DETAILS: readonly (Details | undefined)[] = ["full", "accounts", "signatures", "none"];
const ENCODINGS: readonly Encoding[] = ["json", "jsonParsed", "base58", "base64"];
const COMMITMENTS = ["finalized", "confirmed", "processed", undefined] as const;
const REWARDS = [true, false] as const;
/**
 * Too low is none for a transaction of version 0: no number is below 0. For one of version 1, which
 * the ledger of `tooHigh` has, it is 0, and 255 is the highest that a client can name.
 */
const VERSIONS = [undefined, 0, 255] as const;

type Combination = BlockOptions & { readonly commitment: (typeof COMMITMENTS)[number] };

const COMBINATIONS: readonly Combination[] = DETAILS.flatMap((transactionDetails = "full") =>
  ENCODINGS.flatMap((encoding) =>
    COMMITMENTS.flatMap((commitment) =>
      REWARDS.flatMap((rewards) =>
        VERSIONS.map((maxSupportedTransactionVersion) => ({
          ...{ transactionDetails, encoding, commitment, rewards, maxSupportedTransactionVersion },
        })),
      ),
    ),
  ),
);

const stored = (text: string): StoredBlock => parseExactly(text) as StoredBlock;

/** A sample block with its version 0 transactions made such of version 1, which nobody has defined. */
const tooHigh: Blocks = new Map(
  [...SAMPLE_BLOCKS].map(([slot, text]) => {
    const block = stored(text);
    const transactions = block.transactions.map((each) => {
      if (each.version === "legacy") return each;
      const bytes = Buffer.from(each.transaction[0], "base64");
      const signatures = bytes[0] ?? 0;
      bytes[1 + signatures * 64] = 0x81;
      return { ...each, version: 1, transaction: [bytes.toString("base64"), "base64"] };
    });
    return [slot, JSON.stringify({ ...block, transactions })];
  }),
);

let gateway: TestGateway;

beforeAll(async () => {
  const networks = [
    ledgerNetwork("samples", SAMPLE_LEDGER),
    ledgerNetwork("too-high", writeLedger(tooHigh, SAMPLE_HEAD)),
  ];
  gateway = await startTestGateway({ networks });
});
afterAll(() => gateway?.stop());

/** The answers for one slot at all combinations, with every digit of their numbers. */
async function askAll(network: string, slot: number): Promise<Answer[]> {
  const calls = COMBINATIONS.map((config, id) =>
    callText("getBlock", `[${slot},${JSON.stringify(config)}]`, id),
  );
  const { text } = await post(gateway.http(network), `[${calls.join()}]`);
  return parseExactly(text) as Answer[];
}

/** Whether the commitment has got that far; `processed` is asked for as `confirmed`. */
function isThere(slot: number, { commitment }: Combination): boolean {
  const { confirmedSlot, finalizedSlot } = SAMPLE_HEAD;
  const isFinal = commitment === "finalized" || commitment === undefined;
  return slot <= (isFinal ? finalizedSlot : confirmedSlot);
}

/** Forms of a block that need to know what a transaction of its version looks like. */
const needsWire = ({ transactionDetails: details, encoding }: BlockOptions): boolean =>
  details === "accounts" || (details === "full" && encoding.startsWith("json"));

describe("each combination of getBlock's options", () => {
  test("is 4 details, 4 encodings, 3 commitments and none, rewards or not, 3 versions", () => {
    expect(COMBINATIONS).toHaveLength(4 * 4 * 4 * 2 * 3);
    expect(new Set(COMBINATIONS.map((each) => JSON.stringify(each))).size).toBe(384);
  });

  test.each([...SAMPLE_BLOCKS].map(([slot, text]) => [slot, stored(text)] as const))(
    "gives sample block %i as the specification says",
    async (slot, block) => {
      const answers = await askAll("samples", slot);
      for (const [index, options] of COMBINATIONS.entries()) {
        const { result, error } = answers[index] ?? {};
        try {
          const wanted = isThere(slot, options) ? versionError(block, options) : undefined;
          if (wanted !== undefined) expect(error).toEqual(wanted);
          else if (!isThere(slot, options)) expect({ result, error }).toEqual({ result: null });
          else expectBlock(result, block, options);
        } catch (cause) {
          throw new Error(`${slot} ${JSON.stringify(options)}`, { cause });
        }
      }
    },
  );

  test.each([
    ["skipped", 431_994],
    ["skipped, the last of an epoch", 431_999],
    ["below the first", SAMPLE_HEAD.firstSlot - 1],
    ["of the genesis", 0],
    ["that is still to come", SAMPLE_HEAD.confirmedSlot + 1],
  ])("gives null for a slot %s", async (_, slot) => {
    expect(SAMPLE_BLOCKS.has(slot)).toBe(false);
    for (const answer of await askAll("samples", slot)) {
      expect(answer).toEqual({ jsonrpc: "2.0", id: answer.id, result: null });
    }
  });

  test("refuses a version that is too low, and gives the bytes of one that nobody knows yet", async () => {
    const versioned = [...tooHigh].filter(([, text]) => /"version":1\b/.test(text));
    expect(versioned.length).toBeGreaterThan(2);
    for (const [slot, text] of versioned) {
      const block = stored(text);
      const answers = await askAll("too-high", slot);
      for (const [index, options] of COMBINATIONS.entries()) {
        const { result, error } = answers[index] ?? {};
        const wanted = versionError(block, options);
        if (!isThere(slot, options)) expect(result).toBeNull();
        else if (wanted !== undefined) expect(error).toEqual(wanted);
        else if (options.transactionDetails === "full" && !needsWire(options)) {
          const { transactions } = result as StoredBlock;
          expect(transactions.map(({ version }) => version)).toEqual(
            block.transactions.map(({ version }) => version),
          );
        }
      }
    }
  });
});

test("a config that is left out, null, an encoding alone or partly given means the defaults", async () => {
  const slot = SAMPLE_HEAD.firstSlot;
  const whole = {
    commitment: "finalized",
    encoding: "json",
    rewards: false,
    transactionDetails: "full",
  };
  const ask = async (params: string) =>
    resultText(await post(gateway.http("samples"), callText("getBlock", params)));
  const wanted = await ask(`[${slot},${JSON.stringify(whole)}]`);
  for (const config of [
    "",
    ",null",
    ',"json"',
    ",{}",
    ',{"rewards":null}',
    ',{"encoding":"json"}',
  ]) {
    expect(await ask(`[${slot}${config}]`), config).toBe(wanted);
  }
  expect(await ask(`[${slot}.0]`)).toBe(wanted);
});
