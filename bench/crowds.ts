import type { CrowdAnswer, CrowdCommand, CrowdResult } from "./crowd.ts";
import type { Part } from "./processes.ts";

/** Has a process of clients do that. Rejects where it could not. */
export async function askCrowd(part: Part, command: CrowdCommand): Promise<CrowdResult> {
  const answer = (await part.ask(command)) as CrowdAnswer;
  if ("result" in answer) return answer.result;
  throw new Error(`clients: ${answer.fault}`);
}
