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
    method: "net_peerCount",
    result: "how many other nodes the node is connected to, a quantity",
    credits: 80,
  }),
  read({
    method: "eth_protocolVersion",
    result: "the version of the protocol between nodes that the node speaks",
    credits: 5,
  }),
  read({
    method: "eth_config",
    result: "the settings of the present fork, of the next and of the last one (EIP-7910)",
    credits: 80,
  }),
  read({ method: "eth_mining", result: "true where the node makes blocks", credits: 5 }),
  read({
    method: "eth_hashrate",
    result: "how many hashes a second the node tries, a quantity: 0x0 under proof of stake",
    credits: 5,
  }),
  read({
    method: "eth_coinbase",
    result: "the address that gets the fees of the blocks which the node makes",
    credits: 80,
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
