import { interpret } from "./interpret.ts";
import { PROGRAMS } from "./programs.ts";

/** An instruction as its transaction has it: `accounts` are resolved base58 addresses. */
export type RawInstruction = {
  readonly programId: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
};

/** `parsed` is `{info, type}` (`{type}` where there is nothing to tell), or the text itself for a memo. */
export type ParsedInstruction = {
  readonly program: string;
  readonly programId: string;
  readonly parsed: unknown;
};

/**
 * The `jsonParsed` form of an instruction as agave 3.0 writes it, members in the order of the alphabet; an
 * integer beyond 2^53 is a `JSON.rawJSON` value, for `JSON.stringify`. `undefined`: not a known program, or
 * data that its program would not understand; the caller writes the partially decoded form.
 */
export function parseInstruction(instruction: RawInstruction): ParsedInstruction | undefined {
  const { programId, accounts, data } = instruction;
  const program = PROGRAMS.get(programId);
  if (program === undefined) return undefined;
  const parsed = interpret(program, accounts, data);
  return parsed === undefined ? undefined : { parsed, program: program.name, programId };
}
