import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NodeReply } from "../support/stand-in-node.ts";
import { agaveCalls, type Recording } from "./recordings.ts";
import { callText, type Given, resultText, type SlotRig, startSlotRig } from "./rig.ts";

const CREDITS = 160;
const SLOT = 900;
const SIGNATURE =
  "WGN5qEfxUpp8ZUM2oEhznkgvmKy45iEiB2PxJ3pzAfqjcFFEqmRGAFjFYTDAG71yMNZJbMS8L3ceSuZcVj8ifr4";

const unsupported = (version: number) => ({
  code: -32015,
  message:
    `Transaction version (${version}) is not supported by the requesting client. Please try the ` +
    `request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
});
const chargedOf = ({ header }: Given) => Number(header("x-credits-charged"));

let rig: SlotRig;
beforeAll(async () => {
  rig = await startSlotRig({ nodes: 2, cache: {} });
  // So that the heads of both nodes are known.
  await rig.call("getBlockTime", `[${SLOT}]`);
});
afterAll(() => rig?.stop());

/** Every node says this, whatever version it is asked for. */
function everyNode(reply: NodeReply): void {
  for (const node of rig.nodes) node.reply = () => reply;
}

/** How many questions the nodes got while `act` ran. */
async function questions(act: () => Promise<unknown>): Promise<number> {
  const asked = await rig.asked(act);
  return asked.flat().length;
}

const blockOf = (...versions: readonly string[]) => {
  const transactions = versions.map((version) => `{"meta":{"version":9},"version":${version}}`);
  const head = '"blockhash":"A","parentSlot":1,"previousBlockhash":"B"';
  return `{${head},"transactions":[${transactions}]}`;
};
let freshSlot = 100;

describe("a node that ignores maxSupportedTransactionVersion", () => {
  describe("answers as agave does that keeps to it", () => {
    const recorded = new Map(agaveCalls().map((call) => [call.name, call]));
    const UNSET = " / version unset / ";
    const pairs = [...recorded.values()].flatMap((right): [Recording, Recording][] => {
      const said = recorded.get(right.name.replace(UNSET, " / version 0 / "));
      return right.name.includes(UNSET) && said !== undefined ? [[right, said]] : [];
    });

    test("in every recorded form", async () => {
      expect(pairs.length).toBeGreaterThan(100);
      const outcomes = { given: 0, refused: 0 };
      for (const [right, said] of pairs) {
        everyNode({ resultText: said.result ?? "" });
        const given = await rig.call("getBlock", right.params ?? "");
        if (right.error === undefined) {
          expect(resultText(given), right.name).toBe(right.result);
          outcomes.given += 1;
        } else {
          expect(given.json.error, right.name).toEqual(JSON.parse(right.error));
          outcomes.refused += 1;
        }
      }
      // The block with version 0, at full and accounts, in four encodings.
      expect(outcomes).toEqual({ given: pairs.length - 8, refused: 8 });
    });
  });

  test.each([
    { versions: ["0"], told: 0 },
    { versions: ['"legacy"', "2", "0"], told: 2 },
    { highest: 0, versions: ["0", "1"], told: 1 },
    { highest: 1, versions: ["0", "200"], told: 200 },
  ])("is not believed: $versions where the client named $highest", async (row) => {
    const { highest, versions, told } = row;
    const params = JSON.stringify([freshSlot++, { maxSupportedTransactionVersion: highest }]);
    everyNode({ resultText: blockOf(...versions) });
    const asked = await questions(async () => {
      const given = await rig.call("getBlock", params);
      expect(given.status).toBe(200);
      expect(given.json.error).toEqual(unsupported(told));
      expect(chargedOf(given)).toBe(CREDITS);
    });
    // The error is the answer of the whole network: no other node is asked.
    expect(asked).toBe(1);
    const over = await rig.call("getBlock", params, "WebSocket");
    expect(over.json.error).toEqual(unsupported(told));
  });

  test("gives no error to those who do not see transactions", async () => {
    everyNode({ resultText: blockOf("7") });
    for (const transactionDetails of ["signatures", "none"]) {
      const params = JSON.stringify([freshSlot++, { transactionDetails }]);
      const given = await rig.call("getBlock", params);
      expect(given.json.result).toEqual({ blockhash: "A", parentSlot: 1, previousBlockhash: "B" });
    }
  });

  test("leaves no refused block in the cache", async () => {
    const slot = freshSlot++;
    everyNode({ resultText: blockOf("0") });
    const legacy = async () => {
      const given = await rig.call("getBlock", `[${slot}]`);
      expect(given.json.error).toEqual(unsupported(0));
    };
    const versioned = async () => {
      const given = await rig.call("getBlock", `[${slot},{"maxSupportedTransactionVersion":0}]`);
      expect(resultText(given)).toBe(blockOf("0"));
    };
    expect(await questions(legacy)).toBe(1);
    expect(await questions(versioned)).toBe(1);
    // That one is kept.
    expect(await questions(versioned)).toBe(0);
    expect(await questions(legacy)).toBe(1);
    everyNode({ resultText: blockOf('"legacy"') });
    const shown = blockOf("0").replace(',"version":0', "");
    const found = async () => {
      expect(resultText(await rig.call("getBlock", `[${slot}]`))).toBe(shown);
    };
    expect(await questions(found)).toBe(1);
    expect(await questions(found)).toBe(0);
  });

  test("fails only the calls of a batch that it concerns", async () => {
    everyNode({ resultText: blockOf("0") });
    const configs = [{}, { maxSupportedTransactionVersion: 0 }, { transactionDetails: "none" }];
    const batch = configs.map((config, id) =>
      callText("getBlock", JSON.stringify([freshSlot++, config]), id),
    );
    const response = await fetch(rig.gateway.http(), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `[${batch}]`,
    });
    const answers = (await response.json()) as { error?: object }[];
    expect(answers.map(({ error }) => error)).toEqual([unsupported(0), undefined, undefined]);
    expect(response.headers.get("x-credits-charged")).toBe(String(3 * CREDITS));
  });

  test("is not believed of a single transaction either", async () => {
    const transaction = (version: string) =>
      `{"blockTime":1,"meta":{"version":9},"slot":2,"transaction":["AA==","base64"]${version}}`;
    const get = (config = "") => rig.call("getTransaction", `["${SIGNATURE}"${config}]`);
    everyNode({ resultText: transaction(',"version":0') });
    const asked = await questions(async () => {
      for (let call = 0; call < 2; call += 1) {
        const given = await get();
        expect(given.json.error).toEqual(unsupported(0));
        expect(chargedOf(given)).toBe(CREDITS);
      }
    });
    expect(asked).toBe(2);
    const named = ',{"maxSupportedTransactionVersion":0}';
    expect(resultText(await get(named))).toBe(transaction(',"version":0'));
    everyNode({ resultText: transaction(',"version":3') });
    const json = ',{"encoding":"json","maxSupportedTransactionVersion":0}';
    expect((await get(json)).json.error).toEqual(unsupported(3));
    everyNode({ resultText: transaction(',"version":"legacy"') });
    expect(resultText(await get())).toBe(transaction(""));
  });
});
