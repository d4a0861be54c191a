/** The lists of a call object whose elements are objects; like nodes, they ignore unknown fields. */
import type { JsonObject } from "../../jsonrpc/value.ts";
import { goField } from "./decode.ts";
import { asObject, checkFields, type FieldCheck, fieldTable } from "./fields.ts";
import { addressField, hashField, listField, numberField } from "./go-fields.ts";
import { ParamFault } from "./param-fault.ts";

const ACCESS = "TransactionArgs.accessList";
const AUTHORIZATION = "TransactionArgs.authorizationList";

/** An object of Go type `type`, all of whose fields are required (gencodec:"required"). */
function tuple(place: string, type: string, table: Record<string, FieldCheck>): FieldCheck {
  const target = goField(place, `types.${type}`);
  const fields = fieldTable(table);
  const required = Object.keys(table);
  return (value): JsonObject => {
    const checked = checkFields(asObject(value, target), fields, "ignore");
    const missing = required.find((name) => !checked.has(name));
    if (missing !== undefined) {
      throw new ParamFault(`missing required field '${missing}' for ${type}`);
    }
    return checked;
  };
}

/** EIP-2930: `[{address, storageKeys}]`. */
export const accessList = listField(
  ACCESS,
  "types.AccessList",
  tuple(ACCESS, "AccessTuple", {
    address: addressField(`${ACCESS}.address`),
    storageKeys: listField(
      `${ACCESS}.storageKeys`,
      "[]common.Hash",
      hashField(`${ACCESS}.storageKeys`),
    ),
  }),
);

/** EIP-7702: `[{chainId, address, nonce, yParity, r, s}]`. */
export const authorizationList = listField(
  AUTHORIZATION,
  "[]types.SetCodeAuthorization",
  tuple(AUTHORIZATION, "SetCodeAuthorization", {
    chainId: numberField(`${AUTHORIZATION}.chainId`, 256),
    address: addressField(`${AUTHORIZATION}.address`),
    nonce: numberField(`${AUTHORIZATION}.nonce`, 64),
    yParity: numberField(`${AUTHORIZATION}.yParity`, 8),
    r: numberField(`${AUTHORIZATION}.r`, 256),
    s: numberField(`${AUTHORIZATION}.s`, 256),
  }),
);
