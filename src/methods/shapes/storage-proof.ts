import type { JsonValue } from "../../jsonrpc/value.ts";
import { type Member, scanArray, scanObject } from "../../lib/json-scan.ts";
import { storageWord } from "../params/storage-position.ts";
import { type Edit, pieces, replacement, textOf } from "./edit.ts";
import type { Shape } from "./shape.ts";

const HEX_TEXT = /^"((?:0x)?[0-9a-fA-F]{0,64})"$/;

/**
 * The result of eth_getProof with each storage key as the client wrote it. Nodes are sent 32 bytes,
 * which some echo and others shorten. A key that is not the one asked for at its place stays.
 */
export const storageProof: Shape = (result, _options, args) => {
  const keys = args[1];
  if (!Array.isArray(keys) || keys.length === 0) return [result];
  const storage = memberOf(result, 0, "storageProof");
  const proofs = storage && scanArray(result, storage.valueStart);
  if (proofs?.length !== keys.length) return [result];
  const edits = proofs.flatMap(({ start }, place) => keyEdit(result, start, keys[place]) ?? []);
  return pieces(result, edits);
};

function keyEdit(json: Buffer, start: number, asked: JsonValue | undefined): Edit | undefined {
  const member = memberOf(json, start, "key");
  if (member === undefined || typeof asked !== "string") return undefined;
  const given = textOf(json, member);
  const [, key] = HEX_TEXT.exec(given) ?? [];
  const written = `"${asked}"`;
  if (key === undefined || given === written) return undefined;
  return storageWord(key) === storageWord(asked) ? replacement(member, written) : undefined;
}

function memberOf(json: Buffer, start: number, name: string): Member | undefined {
  return scanObject(json, start)?.members.findLast(({ key }) => key === name);
}
