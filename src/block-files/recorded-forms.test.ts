import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { changes } from "../../test/recordings/differences.ts";
import { temporaryFolder } from "../../test/support/written.ts";
import { BlockFiles } from "./block-files.ts";
import { RpcFault } from "./block-files-fault.ts";
import { BlockFilesMethods } from "./block-files-methods.ts";
import { parseExact } from "./exact-json.ts";
import { encodeTransaction } from "./wire.ts";

const FIXTURES = "test/fixtures/slot";

type Transaction = {
  meta: Record<string, unknown> | null;
  transaction: unknown;
  version?: unknown;
};
type Block = { transactions: Transaction[]; rewards?: unknown } & Record<string, unknown>;
type Case = {
  readonly case: string;
  readonly request: { readonly method: string; readonly params: unknown } | string;
  readonly responseText: string;
};
type Answer = {
  readonly result?: unknown;
  readonly error?: { code: number; message: string; data: unknown };
};

/** How the ledger differs from recordings of nodes that were older than agave 3.0. */
const DIFFERENCES = [
  {
    change:
      /^result\.transactions\[\]\.transaction\.message\.instructions\[\]\.stackHeight other, not absent$/,
    reason: "top-level instructions have the height 1, which nodes before 1.14 did not write",
  },
  {
    change:
      /^result\.transactions\[\]\.meta\.innerInstructions\[\]\.instructions\[\]\.stackHeight null, not absent$/,
    reason: "the height of an inner instruction was not recorded: agave 3.0 says so with null",
  },
  {
    change: /^result\.transactions\[\]\.meta\.loadedAddresses absent, not other$/,
    reason: "jsonParsed names loaded addresses among the account keys only",
  },
  {
    change:
      /^result\.transactions\[\]\.transaction\.message\.addressTableLookups absent, not null$/,
    reason: "a legacy message has no lookups: nodes before 1.14 wrote null in jsonParsed",
  },
  {
    change:
      /^result\.transactions\[\]\.transaction\.message\.accountKeys\[\]\.source other, not absent$/,
    reason: "nodes before 1.11 did not tell where an account key comes from",
  },
];

describe("against recorded nodes", () => {
  const found = new Set<string>();

  describe("agave 3.0.14: every recorded form comes from the base64 form alone", () => {
    const cases = agaveCases();
    const recorded = new Map(cases.map((each) => [each.case, each.responseText]));
    const named = (name: string): Block => exactResult(recorded.get(name) ?? "");
    const ledger = build();

    function build(): BlockFilesMethods {
      const names = new Set(
        cases.flatMap(({ case: name }) => /^block: (.*?) \/ full/.exec(name)?.[1] ?? []),
      );
      const blocks = Array.from(names, (name) => {
        const whole = `block: ${name} / full / base64 / version 0 / rewards true`;
        if (recorded.has(whole)) return named(whole);
        const block = named(`block: ${name} / full / base64 / version 0 / rewards false`);
        const { rewards } = named(`block: ${name} / none / base64 / version 0 / rewards true`);
        for (const { meta } of block.transactions) if (meta !== null) meta["rewards"] = [];
        return { ...block, rewards };
      });
      const wholes = ["bare encoding", "genesis full"].map((name) => withVersions(named(name)));
      const first = withVersions(fromJson(named("slot float whole")));
      return ledgerOf([...blocks, ...wholes, first], 73);
    }

    test("the ledger holds ten of the node's blocks", () => {
      expect(cases.filter(({ case: name }) => /^block: /.test(name))).toHaveLength(224);
    });

    test.each(cases.filter(isGetBlock).map((each) => [each.case, each] as const))(
      "%s",
      async (_name, { request, responseText }) => {
        const { result, error } = JSON.parse(responseText) as Answer;
        const answer = await ask(ledger, "getBlock", paramsOf(request));
        expect(answer).toEqual(error === undefined ? { result } : { error });
        if (error !== undefined) return;
        // Byte for byte, so that no integer is rounded; 0.000005 has two ways to be written.
        const text = await ledger?.call("getBlock", paramsOf(request));
        const recorded = responseText.replaceAll(":5e-6,", ":0.000005,");
        expect(recorded).toContain(`"result":${text},"id"`);
      },
    );

    test.each(["getBlockTime", "getFirstAvailableBlock", "getHealth", "getTransaction", "getSlot"])(
      "companion %s",
      async (method) => {
        const { request, responseText } = cases.find(
          (each) => each.case === `companion ${method}`,
        ) as Case;
        const { params } = request as { params: unknown };
        const { result } = JSON.parse(responseText) as Answer;
        expect(await ask(ledger, method, JSON.stringify(params))).toEqual({ result });
      },
    );
  });

  test.each(["json", "jsonparsed"])(
    "a block of 2022 from its base64 form gives its recorded %s form",
    async (form) => {
      const base64 = withVersions(recordedBlock("slot-147078735-full-base64-rewards.json"));
      const expected = recordedBlock(`slot-147078735-full-${form}-rewards.json`);
      const encoding = form === "json" ? "json" : "jsonParsed";
      const answer = await block([base64], 147078735, { encoding, rewards: true });
      expect(unlisted({ result: expected }, answer)).toEqual([]);
    },
  );

  test.each([
    ["json", "mainnet-slot-100000000-full-json-legacy.json", undefined],
    ["jsonParsed", "mainnet-slot-100000000-full-jsonparsed-version-legacy.json", 0],
  ])(
    "a block of 2021 from its recorded json form gives its %s form",
    async (encoding, file, maxSupportedTransactionVersion) => {
      const json = recordedBlock("mainnet-slot-100000000-full-json-legacy.json");
      const config = { encoding, rewards: true, maxSupportedTransactionVersion };
      const answer = await block([withVersions(fromJson(json))], 100000000, config);
      expect(unlisted({ result: recordedBlock(file) }, answer)).toEqual([]);
    },
  );

  test("a version 0 transaction of 2022 comes back from its wire form as it was", async () => {
    const json = recordedBlock("mainnet-slot-154808473-full-json-v0-loadedAddresses.json");
    const config = { encoding: "json", maxSupportedTransactionVersion: 0, rewards: false };
    const answer = await block([fromJson(json)], 154808473, config);
    expect(unlisted({ result: json }, answer)).toEqual([]);
  });

  test("each difference that the table lists was met", () => {
    const unused = DIFFERENCES.filter(
      ({ change }) => ![...found].some((each) => change.test(each)),
    );
    expect(unused.map(({ reason }) => reason)).toEqual([]);
  });

  function unlisted(node: Answer, ledger: Answer): string[] {
    const changed = changes(node, ledger);
    for (const change of changed) found.add(change);
    return changed.filter((each) => !DIFFERENCES.some(({ change }) => change.test(each)));
  }
});

function agaveCases(): Case[] {
  const lines = readFileSync(join(FIXTURES, "agave.jsonl"), "utf8").trim().split("\n");
  return lines.slice(1).map((line) => JSON.parse(line) as Case);
}

/** Whoever leaves out the params is answered by the gateway. */
const isGetBlock = ({ request }: Case): boolean =>
  typeof request === "object"
    ? request.method === "getBlock"
    : /^\{.*"method":"getBlock","params":\[/.test(request);

/** Their text: the integers of a request that was no plain JSON have no other form. */
const paramsOf = (request: Case["request"]): string =>
  typeof request === "object"
    ? JSON.stringify(request.params)
    : request.slice(request.indexOf("["), -1);

/** Integers beyond 2^53 as they were written, for a ledger's file. */
const exactResult = (text: string): Block => (parseExact(text) as { result: Block }).result;

function recordedBlock(file: string): Block {
  const recorded = JSON.parse(readFileSync(join(FIXTURES, file), "utf8"));
  return recorded.result ?? recorded;
}

/** As if it had been asked for with version 255: all of these are legacy. */
function withVersions(block: Block): Block {
  const transactions = block.transactions.map((each) => ({ ...each, version: "legacy" }));
  return { ...block, transactions };
}

/** The base64 form of a block in the json encoding. */
function fromJson(block: Block): Block {
  const transactions = block.transactions.map((each) => {
    const bytes = encodeTransaction(each.transaction);
    return { ...each, transaction: [Buffer.from(bytes).toString("base64"), "base64"] };
  });
  return { ...block, transactions };
}

const slotOf = (block: Block): number =>
  block["blockHeight"] === 0 ? 0 : Number(block["parentSlot"]) + 1;

function ledgerOf(blocks: readonly Block[], newest: number): BlockFilesMethods {
  const folder = temporaryFolder("ledger");
  mkdirSync(join(folder, "blocks"));
  const head = { format: 1, genesisHash: "A3cnSnDVyR6CDn1y5Ris24rynqJMzqVdL4ynMGgEtdCv" };
  const slots = { firstSlot: 0, confirmedSlot: newest, finalizedSlot: newest };
  writeFileSync(join(folder, "ledger.json"), JSON.stringify({ ...head, ...slots }));
  for (const block of blocks) {
    writeFileSync(join(folder, "blocks", `${slotOf(block)}.json`), JSON.stringify(block));
  }
  const files = new BlockFiles(folder, { now: () => performance.now() });
  return new BlockFilesMethods(files, { pause: async () => undefined });
}

async function ask(
  ledger: BlockFilesMethods | undefined,
  method: string,
  params: string,
): Promise<Answer> {
  try {
    return { result: JSON.parse((await ledger?.call(method, params)) ?? "") };
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    const { code, message, data } = error;
    return { error: { code, message, data } };
  }
}

const block = (blocks: readonly Block[], slot: number, config: object): Promise<Answer> =>
  ask(ledgerOf(blocks, slot), "getBlock", JSON.stringify([slot, config]));
