import { keccak_256 } from "@noble/hashes/sha3.js";
import type { JsonValue } from "../../jsonrpc/value.ts";
import type { Definition, LocalFacts } from "../definition.ts";
import { data } from "../params/plain-params.ts";
import { read } from "./read.ts";

const chainIdAsHex = (_params: readonly JsonValue[], { chainId }: LocalFacts) =>
  chainId === undefined ? undefined : `"0x${chainId.toString(16)}"`;

const chainIdAsDecimal = (_params: readonly JsonValue[], { chainId }: LocalFacts) =>
  chainId === undefined ? undefined : `"${chainId}"`;

const headAsHex = (_params: readonly JsonValue[], { head }: LocalFacts) =>
  head === undefined ? undefined : `"0x${head.toString(16)}"`;

function keccak256([bytes]: readonly JsonValue[]): string {
  const digest = keccak_256(Buffer.from(String(bytes).slice(2), "hex"));
  return `"0x${Buffer.from(digest).toString("hex")}"`;
}

export const CHAIN_METHODS: readonly Definition[] = Object.freeze([
  read({
    method: "eth_chainId",
    result: "the id of the chain, a quantity",
    credits: 5,
    cache: "constant",
    local: chainIdAsHex,
  }),
  read({
    method: "net_version",
    result: "the id of the chain as decimal digits",
    credits: 5,
    cache: "constant",
    local: chainIdAsDecimal,
  }),
  read({
    method: "eth_blockNumber",
    result:
      "the number of the newest block, a quantity. It never goes back, whichever node answers",
    credits: 80,
    needsHead: true,
    local: headAsHex,
  }),
  read({
    method: "eth_syncing",
    result: "false where the node has caught up, else how far it has come",
    credits: 5,
  }),
  read({
    method: "net_listening",
    result: "true where the node takes connections of other nodes",
    credits: 5,
  }),
  read({
    method: "web3_clientVersion",
    result: "the name and version of the node that answered",
    credits: 80,
  }),
  read({
    method: "web3_sha3",
    result: "the Keccak-256 hash of the bytes",
    params: [data],
    credits: 80,
    cache: "constant",
    local: keccak256,
  }),
  // The accounts of a node are no business of a client of a shared service.
  read({
    method: "eth_accounts",
    result: "an empty list: the accounts of nodes are not shown",
    credits: 80,
    cache: "constant",
    local: () => "[]",
  }),
]);
