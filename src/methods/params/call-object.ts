import type { JsonObject, JsonValue } from "../../jsonrpc/value.ts";
import type { Param, ParamMember } from "../definition.ts";
import { accessList, authorizationList } from "./call-lists.ts";
import { goValue } from "./decode.ts";
import { ADDRESS_EXAMPLE } from "./examples.ts";
import { asObject, checkFields, type FieldCheck, fieldTable } from "./fields.ts";
import { addressField, bytesField, fixedField, listField, numberField } from "./go-fields.ts";
import { ParamFault } from "./param-fault.ts";

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;
const ARGS = goValue("ethapi.TransactionArgs");
const BLOB_BYTES = 131_072;

function fixedList(place: string, type: string, sizeBytes: number): FieldCheck {
  return listField(place, `[]${type}`, fixedField(place, type, sizeBytes));
}

/** ethapi.TransactionArgs of go-ethereum 1.17, and `type`, which other nodes read. */
const FIELDS = fieldTable({
  from: addressField("TransactionArgs.from"),
  to: addressField("TransactionArgs.to"),
  gas: numberField("TransactionArgs.gas", 64),
  gasPrice: numberField("TransactionArgs.gasPrice", 256),
  maxPriorityFeePerGas: numberField("TransactionArgs.maxPriorityFeePerGas", 256),
  maxFeePerGas: numberField("TransactionArgs.maxFeePerGas", 256),
  value: numberField("TransactionArgs.value", 256),
  data: bytesField("TransactionArgs.data"),
  input: bytesField("TransactionArgs.input"),
  nonce: numberField("TransactionArgs.nonce", 64),
  type: numberField("TransactionArgs.type", 8),
  chainId: numberField("TransactionArgs.chainId", 256),
  accessList,
  authorizationList,
  maxFeePerBlobGas: numberField("TransactionArgs.maxFeePerBlobGas", 256),
  blobVersionedHashes: fixedList("TransactionArgs.blobVersionedHashes", "common.Hash", 32),
  blobs: fixedList("TransactionArgs.blobs", "kzg4844.Blob", BLOB_BYTES),
  commitments: fixedList("TransactionArgs.commitments", "kzg4844.Commitment", 48),
  proofs: fixedList("TransactionArgs.proofs", "kzg4844.Proof", 48),
});

/**
 * Of `data` and `input` one is sent, as `data`: hardhat refuses both, anvil prefers the one and
 * ganache the other; each node takes `data`, and the specification names it.
 */
function mergeInput(call: JsonObject): JsonObject {
  const input = call.get("input");
  if (input === undefined) return call;
  const data = call.get("data");
  if (data === undefined) {
    return new Map([...call].map(([name, value]) => [name === "input" ? "data" : name, value]));
  }
  if (data !== input && lowerCase(data) !== lowerCase(input)) {
    throw new ParamFault(
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    );
  }
  return new Map([...call].filter(([name]) => name !== "input"));
}

const lowerCase = (value: JsonValue): JsonValue =>
  typeof value === "string" ? value.toLowerCase() : value;

const ADDRESS_WANT = "an address: 0x and 40 hexadecimal digits";
const MEMBERS: readonly ParamMember[] = Object.freeze([
  { name: "to", want: ADDRESS_WANT },
  { name: "data", want: "bytes: 0x, four bytes that name the function, and its arguments" },
  { name: "from", want: ADDRESS_WANT },
  { name: "value", want: 'an amount in wei as a quantity, such as "0x0"' },
  { name: "gas", want: 'a quantity, such as "0x5208"' },
]);

/** The call of eth_call and its kin. Where `from` is left out the zero address is sent. */
export const callObject = (from: "strict" | "optional"): Param =>
  Object.freeze({
    name: "call",
    want: `an object with any of the keys ${FIELDS.known}`,
    role: "call",
    required: true,
    example: { from: ADDRESS_EXAMPLE, to: ADDRESS_EXAMPLE, data: "0x" },
    members: MEMBERS,
    check: (value, { strict, unknownKeys }) => {
      const call = mergeInput(checkFields(asObject(value, ARGS), FIELDS, unknownKeys));
      if (call.has("from")) return call;
      if (strict && from === "strict") {
        throw new ParamFault("missing required field 'from' for TransactionArgs");
      }
      // hardhat would take an account of its own.
      const sent: JsonObject = new Map().set("from", ZERO_ADDRESS);
      for (const [name, member] of call) sent.set(name, member);
      return sent;
    },
  });
