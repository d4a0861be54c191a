import type { AccountKeys } from "./account-keys.ts";
import { encodeBase58, encodeKey } from "./base58.ts";
import { parseInstruction } from "./parsed/parse-instruction.ts";
import type { Instruction, Message, TableLookup } from "./wire.ts";

/** The height of an instruction that no other called (agave `TRANSACTION_LEVEL_STACK_HEIGHT`). */
const TOP_LEVEL = 1;

/** A message in the `json` encoding, members in agave's order. */
export function rawMessage(message: Message): Record<string, unknown> {
  const { numReadonlySignedAccounts, numReadonlyUnsignedAccounts, numRequiredSignatures } =
    message.header;
  return {
    accountKeys: message.accountKeys.map(encodeKey),
    ...lookupsOf(message),
    header: { numReadonlySignedAccounts, numReadonlyUnsignedAccounts, numRequiredSignatures },
    instructions: message.instructions.map(({ accounts, data, programIdIndex }) => ({
      accounts: [...accounts],
      data: encodeBase58(data),
      programIdIndex,
      stackHeight: TOP_LEVEL,
    })),
    recentBlockhash: encodeKey(message.recentBlockhash),
  };
}

/** A message in the `jsonParsed` encoding. @throws BlockFilesFault where an index names no account */
export function parsedMessage(message: Message, keys: AccountKeys): Record<string, unknown> {
  return {
    accountKeys: keys.entries(),
    ...lookupsOf(message),
    instructions: message.instructions.map((each) => parsedInstruction(each, keys, TOP_LEVEL)),
    recentBlockhash: encodeKey(message.recentBlockhash),
  };
}

/**
 * One instruction of the `jsonParsed` encoding: parsed where its program is known, else with its
 * addresses resolved. @throws BlockFilesFault where an index names no account
 */
export function parsedInstruction(
  instruction: Instruction,
  keys: AccountKeys,
  stackHeight: unknown,
): Record<string, unknown> {
  const { data } = instruction;
  const programId = keys.at(instruction.programIdIndex);
  const accounts = Array.from(instruction.accounts, (index) => keys.at(index));
  const known = parseInstruction({ programId, accounts, data });
  if (known === undefined) return { accounts, data: encodeBase58(data), programId, stackHeight };
  const { parsed, program } = known;
  return { parsed, program, programId: known.programId, stackHeight };
}

function lookupsOf(message: Message): Record<string, unknown> {
  if (message.version === "legacy") return {};
  return { addressTableLookups: message.addressTableLookups.map(lookupJson) };
}

const lookupJson = ({ accountKey, readonlyIndexes, writableIndexes }: TableLookup) => ({
  accountKey: encodeKey(accountKey),
  readonlyIndexes: [...readonlyIndexes],
  writableIndexes: [...writableIndexes],
});
