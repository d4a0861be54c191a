import { DataReader, MalformedDataError } from "./data-reader.ts";
import { alphabetical, readFields } from "./fields.ts";
import type { Instruction, Program, Table } from "./table.ts";

type Info = Record<string, unknown>;

/** The parsed form of an instruction by the tables; `undefined` where agave would not parse it. Never throws. */
export function interpret(
  program: Program,
  accounts: readonly string[],
  bytes: Uint8Array,
): unknown {
  try {
    if (program.tables === "text") return new DataReader(bytes).text(bytes.length);
    if (accounts.length === 0) return undefined;
    for (const table of program.tables) {
      const data = new DataReader(bytes);
      const instruction = find(table, data);
      if (instruction !== undefined) return read(instruction, accounts, data);
    }
    return undefined;
  } catch (error) {
    if (error instanceof MalformedDataError) return undefined;
    throw error;
  }
}

function find(table: Table, data: DataReader): Instruction | undefined {
  let found: Instruction | Table | undefined = table;
  while (found !== undefined && "tag" in found) found = found.variants[found.tag(data)];
  return found;
}

function read(spec: Instruction, accounts: readonly string[], data: DataReader): unknown {
  const info: Info = readFields(spec.data ?? [], data);
  if (spec.whole === true && data.left > 0) return undefined;
  if (spec.info === false) return { type: spec.type };
  const own = takeSources(spec, accounts, info);
  if (own === undefined || own.length < leastAccounts(spec)) return undefined;
  for (const [at, name] of spec.accounts.entries()) info[name] = own[at];
  let at = spec.accounts.length;
  if (spec.rest !== undefined) info[spec.rest] = own.slice(at);
  addOptional(spec, own, info);
  if (spec.proof !== undefined) at = addProof(spec.proof, { at, own, info });
  if (spec.proofs !== undefined) at = addProofs(spec.proofs, { at, own, info });
  if (spec.signers !== undefined) addSigners(spec.signers, { at, own, info });
  return { info: alphabetical(info), type: spec.type };
}

function leastAccounts(spec: Instruction): number {
  const after = (spec.proof === undefined ? 0 : 1) + (spec.signers === undefined ? 0 : 1);
  return spec.least ?? spec.accounts.length + after;
}

/** The accounts without the counted ones at their end, which are put in `info`; `undefined`: too few. */
function takeSources(spec: Instruction, accounts: readonly string[], info: Info) {
  if (spec.countedSources === undefined) return accounts;
  const end = accounts.length - Number(info[spec.countedSources]);
  delete info[spec.countedSources];
  if (end < 0) return undefined;
  info["sourceAccounts"] = accounts.slice(end);
  return accounts.slice(0, end);
}

function addOptional(spec: Instruction, own: readonly string[], info: Info): void {
  for (const { name, at, least = at + 1, absent, within } of spec.optional ?? []) {
    const value = own.length >= least ? own[at] : absent;
    if (value === undefined) continue;
    if (within === undefined) info[name] = value;
    else info[within] = alphabetical({ ...(info[within] as Info), [name]: value });
  }
}

type Place = { readonly at: number; readonly own: readonly string[]; readonly info: Info };

/** Gives the place of the account after the proof's. */
function addProof(proof: NonNullable<Instruction["proof"]>, { at, own, info }: Place): number {
  if (info["proofInstructionOffset"] === 0) {
    info[proof.context] = own[at];
    return at + 1;
  }
  info["instructionsSysvar"] = own[at];
  if (proof.record === undefined || own.length <= at + 2) return at + 1;
  info[proof.record] = own[at + 1];
  return at + 2;
}

/** agave takes accounts before the last for proofs, even where they are signers of a multisig. */
function addProofs(proofs: readonly string[], place: Place): number {
  const { own, info } = place;
  const last = own.length - 1;
  const isContext = (proof: string) => info[`${proof}InstructionOffset`] === 0;
  let at = place.at;
  if (at < last && !proofs.every(isContext)) info["instructionsSysvar"] = own[at++];
  for (const proof of proofs) {
    if (at >= last) break;
    info[`${proof}${isContext(proof) ? "ContextState" : "Record"}Account`] = own[at++];
  }
  return at;
}

function addSigners(names: readonly [string, string], { at, own, info }: Place): void {
  const [single, multisig] = names;
  if (own.length <= at + 1) {
    info[single] = own[at];
    return;
  }
  info[multisig] = own[at];
  info["signers"] = own.slice(at + 1);
}
