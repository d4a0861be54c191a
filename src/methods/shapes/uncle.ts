import { scanObject } from "../../lib/json-scan.ts";
import { pieces, setMembers } from "./edit.ts";
import type { Shape } from "./shape.ts";

/**
 * An uncle: `totalDifficulty` is the node's value, or null where the node leaves it out (go-ethereum
 * does). A network's final total difficulty is of no use here: an uncle is not on the chain.
 */
export const uncle: Shape = (result) => {
  const header = scanObject(result);
  if (header === undefined) return [result];
  if (header.members.some((member) => member.key === "totalDifficulty")) return [result];
  return pieces(result, setMembers(result, header, new Map([["totalDifficulty", "null"]])));
};
