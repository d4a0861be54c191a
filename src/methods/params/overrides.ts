/** State and block overrides, the third and fourth parameter of a simulation: checked, passed on. */
import type { JsonObject } from "../../jsonrpc/value.ts";
import type { Param } from "../definition.ts";
import { fixedBytes, goField, goValue } from "./decode.ts";
import { asObject, checkFields, type FieldCheck, fieldTable } from "./fields.ts";
import { addressField, bytesField, hashField, listField, numberField } from "./go-fields.ts";

const ACCOUNT_ADDRESS = goValue("common.Address");
const STATE_OVERRIDE = goValue("override.StateOverride");
const ACCOUNT = goValue("override.OverrideAccount");
const BLOCK = goValue("override.BlockOverrides");
const WITHDRAWAL = goField("BlockOverrides.withdrawals", "types.Withdrawal");

/** Storage slots by their 32-byte keys. */
function slotsField(place: string): FieldCheck {
  const target = goField(place, "map[common.Hash]common.Hash");
  const word = hashField(place);
  return (value) => {
    const slots: JsonObject = new Map();
    for (const [key, slot] of asObject(value, target)) slots.set(String(word(key)), word(slot));
    return slots;
  };
}

/** go-ethereum's names and alloy's. alloy refuses unknown ones, so they are refused here. */
const ACCOUNT_FIELDS = fieldTable({
  balance: numberField("OverrideAccount.balance", 256),
  nonce: numberField("OverrideAccount.nonce", 64),
  code: bytesField("OverrideAccount.code"),
  state: slotsField("OverrideAccount.state"),
  stateDiff: slotsField("OverrideAccount.stateDiff"),
  movePrecompileToAddress: addressField("OverrideAccount.movePrecompileToAddress"),
  movePrecompileTo: addressField("OverrideAccount.movePrecompileTo"),
});

const WITHDRAWAL_FIELDS = fieldTable({
  index: numberField("Withdrawal.index", 64),
  validatorIndex: numberField("Withdrawal.validatorIndex", 64),
  address: addressField("Withdrawal.address"),
  amount: numberField("Withdrawal.amount", 64),
});

const BLOCK_FIELDS = fieldTable({
  number: numberField("BlockOverrides.number", 256),
  difficulty: numberField("BlockOverrides.difficulty", 256),
  time: numberField("BlockOverrides.time", 64),
  gasLimit: numberField("BlockOverrides.gasLimit", 64),
  feeRecipient: addressField("BlockOverrides.feeRecipient"),
  coinbase: addressField("BlockOverrides.coinbase"),
  prevRandao: hashField("BlockOverrides.prevRandao"),
  random: hashField("BlockOverrides.random"),
  baseFeePerGas: numberField("BlockOverrides.baseFeePerGas", 256),
  baseFee: numberField("BlockOverrides.baseFee", 256),
  blobBaseFee: numberField("BlockOverrides.blobBaseFee", 256),
  beaconRoot: hashField("BlockOverrides.beaconRoot"),
  withdrawals: listField("BlockOverrides.withdrawals", "*types.Withdrawals", (value) =>
    checkFields(asObject(value, WITHDRAWAL), WITHDRAWAL_FIELDS, "ignore"),
  ),
});

/** The state that an account is taken to have while the call runs, by its address. */
export const stateOverrides: Param = Object.freeze({
  name: "state overrides",
  want: `an object of addresses, each with any of the keys ${ACCOUNT_FIELDS.known}`,
  required: false,
  placeholder: new Map(),
  check: (value) => {
    const accounts: JsonObject = new Map();
    for (const [key, account] of asObject(value, STATE_OVERRIDE)) {
      const address = fixedBytes(key, 20, ACCOUNT_ADDRESS);
      accounts.set(address, checkFields(asObject(account, ACCOUNT), ACCOUNT_FIELDS));
    }
    return accounts;
  },
});

/** The fields that the block is taken to have while the call runs. */
export const blockOverrides: Param = Object.freeze({
  name: "block overrides",
  want: `an object with any of the keys ${BLOCK_FIELDS.known}`,
  required: false,
  check: (value) => checkFields(asObject(value, BLOCK), BLOCK_FIELDS),
});
