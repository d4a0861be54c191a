import type { DataReader } from "./data-reader.ts";
import type { Fields } from "./fields.ts";

/** An account that may be missing, at place `at`, asked for only where there are `least` (else `at` + 1). */
export type OptionalAccount = {
  readonly name: string;
  readonly at: number;
  readonly least?: number;
  /** The value that is written where it is missing; nothing, if this is not set. */
  readonly absent?: null;
  /** The object of `info` in which it stands; `info` itself, if this is not set. */
  readonly within?: string;
};

/** How agave writes one instruction: its `type`, and where each member of its `info` comes from. */
export type Instruction = {
  readonly type: string;
  /** The names of the first accounts, in their order. */
  readonly accounts: readonly string[];
  /** With fewer accounts agave does not parse it; as many as are named, if this is not set. */
  readonly least?: number;
  readonly data?: Fields;
  /** Set where a byte more than the fields makes the data unreadable. */
  readonly whole?: true;
  readonly optional?: readonly OptionalAccount[];
  /** The name of the list that takes all accounts after the named ones. */
  readonly rest?: string;
  /** The field that counts the last accounts, `sourceAccounts`; it is not shown itself. */
  readonly countedSources?: string;
  /**
   * The next account tells of one zero-knowledge proof, whose `proofInstructionOffset` is in the data: `context`
   * if that is 0, else the instructions sysvar and (if there are accounts enough) `record`, which holds it.
   */
  readonly proof?: { readonly context: string; readonly record?: string };
  /** The same for several proofs, each an offset in the data: agave names the accounts after these words. */
  readonly proofs?: readonly string[];
  /** The next account is who signs or, with more accounts after it, a multisig whose signers those are. */
  readonly signers?: readonly [single: string, multisig: string];
  /** False for an instruction that has no `info`. */
  readonly info?: false;
};

/** The instructions of a program, by what their data starts with. */
export type Table = {
  readonly tag: (data: DataReader) => number | string;
  readonly variants: Readonly<Record<number | string, Instruction | Table>>;
};

/** A program is tried table by table; one whose data is nothing but text (`memo`) has none. */
export type Program = {
  /** agave's word for it. */
  readonly name: string;
  readonly tables: readonly Table[] | "text";
};
