import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { compact, parseExactly } from "./exact.ts";
import { ledgerNetwork, writeLedger } from "./ledger-folder.ts";
import { agaveCalls, type Recording, type SvmEntry, svmEntries } from "./recordings.ts";
import { callText, overWebSocket, post, resultText, TRANSPORTS } from "./rig.ts";

type Block = Record<string, unknown> & { transactions: { meta: Record<string, unknown> }[] };

const FORM = /^block: (.*) \/ (full|accounts|signatures|none) \/ (\w+) \/ version (\w+)/;
const forms = agaveCalls().filter(({ name }) => FORM.test(name));
const HEAD = { firstSlot: 0, confirmedSlot: 73, finalizedSlot: 73 };

const slotOf = ({ params = "" }: Recording): number => Number(/\d+/.exec(params)?.[0]);
const blockIn = ({ result = "" }: Recording): Block => parseExactly(result) as Block;

/** Each block's file from what agave answered at base64 with version 0, and its rewards. */
function recordedBlocks(): Map<number, string> {
  const files = new Map<number, string>();
  const at = (slot: number, form: string) => {
    const found = forms.find((each) => slotOf(each) === slot && each.name.includes(form));
    if (found === undefined) throw new Error(`${slot}: ${form} is not recorded`);
    return blockIn(found);
  };
  for (const slot of new Set(forms.map(slotOf))) {
    const block = at(slot, "/ full / base64 / version 0");
    const { rewards } = at(slot, "/ none / base64 / version 0 / rewards true");
    // Without rewards a node writes null in their place; none of these transactions had any.
    for (const { meta } of block.transactions) meta["rewards"] = [];
    files.set(slot, JSON.stringify({ ...block, rewards }));
  }
  return files;
}

/** A block of the transactions that a real SVM ran. */
function svmBlock(entries: readonly SvmEntry[]): string {
  const hash = "CmpNeggWJ4JaWJeJ8YKN1Zypmk7uvQq3PECGUCAEMbky";
  const transactions = entries.map(({ wire, version, err, pre, post, fee, logs, cu }) => ({
    transaction: [wire, "base64"],
    version,
    meta: {
      computeUnitsConsumed: cu,
      err: err === null ? null : { InstructionError: [0, { Custom: 1 }] },
      fee,
      innerInstructions: [],
      loadedAddresses: { readonly: [], writable: [] },
      logMessages: logs,
      postBalances: post,
      postTokenBalances: [],
      preBalances: pre,
      preTokenBalances: [],
      rewards: [],
      status: err === null ? { Ok: null } : { Err: { InstructionError: [0, { Custom: 1 }] } },
    },
  }));
  const head = { blockHeight: 9, blockTime: 1, blockhash: hash, parentSlot: 9 };
  return JSON.stringify({ ...head, previousBlockhash: hash, rewards: [], transactions });
}

describe("a ledger of recorded blocks", () => {
  let gateway: TestGateway;
  const SVM_SLOT = 10;

  beforeAll(async () => {
    const blocks = recordedBlocks().set(SVM_SLOT, svmBlock(svmEntries()));
    const networks = [ledgerNetwork("recorded", writeLedger(blocks, HEAD))];
    gateway = await startTestGateway({ networks });
  });
  afterAll(() => gateway?.stop());

  test("has seven blocks, each in 32 forms", () => {
    expect(forms).toHaveLength(7 * 32);
  });

  test.each(TRANSPORTS)("gives each form as agave gave it, over %s", async (transport) => {
    for (const { name, method, params = "", result, error } of forms) {
      const message = callText(method, params);
      const given =
        transport === "HTTP"
          ? await post(gateway.http(), message)
          : await overWebSocket(gateway.ws(), message);
      if (error !== undefined) expect(given.json.error, name).toEqual(JSON.parse(error));
      else {
        const wanted = parseExactly(result ?? "");
        expect(parseExactly(resultText(given)), name).toEqual(wanted);
      }
    }
  });

  test("writes the members in agave's order, so that the texts differ in no more than fractions", async () => {
    for (const { name, method, params = "", result } of forms) {
      if (result === undefined) continue;
      const given = resultText(await post(gateway.http(), callText(method, params)));
      expect(compact(given), name).toBe(compact(result));
    }
  });

  test("shows what a real SVM ran as that SVM's own decoder does", async () => {
    const config = '{"encoding":"json","maxSupportedTransactionVersion":0}';
    const params = `[${SVM_SLOT},${config}]`;
    const { json } = await post(gateway.http(), callText("getBlock", params));
    const { transactions } = json.result as {
      transactions: { version: unknown; transaction: Record<string, unknown> }[];
    };
    const entries = svmEntries();
    expect(transactions).toHaveLength(entries.length);
    for (const [index, { sig, version, msg }] of entries.entries()) {
      const shown = transactions[index];
      expect(shown?.version).toBe(version);
      expect(shown?.transaction).toMatchObject({
        signatures: [sig],
        message: {
          accountKeys: msg.keys,
          recentBlockhash: msg.bh,
          header: {
            numRequiredSignatures: msg.h["numSignerAccounts"],
            numReadonlySignedAccounts: msg.h["numReadonlySignerAccounts"],
            numReadonlyUnsignedAccounts: msg.h["numReadonlyNonSignerAccounts"],
          },
          instructions: msg.ix.map((each) => ({ ...each, stackHeight: 1 })),
        },
      });
    }
  });
});
