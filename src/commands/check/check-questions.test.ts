import { describe, expect, test } from "vitest";
import { parseMessage } from "../../jsonrpc/parse-message.ts";
import { checkParams } from "../../methods/check-params.ts";
import { FAMILIES } from "../../methods/families.ts";
import { EVM_METHODS, SLOT_METHODS } from "../../methods/registry.ts";
import { EVM_QUESTIONS, SLOT_QUESTIONS } from "./check-questions.ts";

/** Without those that the gateway answers by itself or takes from others, that are a node's own matter, or too dear. */
const FAMILY_QUESTIONS = [
  {
    family: FAMILIES.evm,
    methods: EVM_METHODS,
    questions: EVM_QUESTIONS,
    unasked: [
      "eth_accounts",
      "eth_chainId",
      "eth_coinbase",
      "eth_config",
      "eth_getHeaderByHash",
      "eth_getHeaderByNumber",
      "eth_getUncleCountByBlockHash",
      "eth_getUncleCountByBlockNumber",
      "eth_hashrate",
      "eth_mining",
      "eth_protocolVersion",
      "net_peerCount",
      "net_version",
      "web3_sha3",
    ],
  },
  {
    family: FAMILIES.slot,
    methods: SLOT_METHODS,
    questions: SLOT_QUESTIONS,
    unasked: [
      "getClusterNodes",
      "getEpochSchedule",
      "getGenesisHash",
      "getLargestAccounts",
      "getLeaderSchedule",
      "getProgramAccounts",
      "getSupply",
      "getVoteAccounts",
    ],
  },
] as const;

describe.each(FAMILY_QUESTIONS)(
  "nodes of $family.name",
  ({ family, methods, questions, unasked }) => {
    test("are asked for every method, in a form that is right", () => {
      for (const { method, params } of questions) {
        const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
        const message = parseMessage(Buffer.from(text));
        const definition = family.lookUp(method);
        if (message.kind !== "single" || definition === undefined) throw new Error(method);
        const { wording } = family;
        const check = () =>
          checkParams(definition, message.call.params, {
            strict: false,
            unknownKeys: "refuse",
            wording,
          });
        expect(check, text).not.toThrow();
      }
    });

    test("are not asked for what the gateway answers by itself, or what is too dear", () => {
      const asked = new Set(questions.map(({ method }) => method));
      const others = methods.map(({ method }) => method).filter((method) => !asked.has(method));
      expect(others.sort()).toEqual(unasked);
    });
  },
);
