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
  read({ method: "eth_chainId", credits: 5, cache: "constant", local: chainIdAsHex }),
  read({ method: "net_version", credits: 5, cache: "constant", local: chainIdAsDecimal }),
  read({ method: "eth_blockNumber", credits: 80, needsHead: true, local: headAsHex }),
  read({ method: "eth_syncing", credits: 5 }),
  read({ method: "net_listening", credits: 5 }),
  read({ method: "web3_clientVersion", credits: 80 }),
  read({
    method: "web3_sha3",
    params: [data],
    credits: 80,
    cache: "constant",
    local: keccak256,
  }),
  // The accounts of a node are no business of a client of a shared service.
  read({ method: "eth_accounts", credits: 80, cache: "constant", local: () => "[]" }),
]);
