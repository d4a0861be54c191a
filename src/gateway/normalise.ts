import { toClientError } from "../failures/client-error.ts";
import type { Instead } from "../methods/definition.ts";
import { notAvailableYet } from "../networks/network.ts";
import { isOneValue } from "../transports/large-result.ts";
import type { Call } from "./call.ts";

/** What to ask in the call's place, since a node does not have its method. */
export function insteadOf({ answer, definition }: Call): Instead | undefined {
  const isUnknown = answer?.kind === "failure" && answer.failure.class === "method_unknown";
  return isUnknown ? definition?.instead : undefined;
}

/** Stage 9: what came of asking nodes, as the call's result or its error. */
export function normaliseAnswer(call: Call): undefined {
  const { answer, definition } = call;
  if (answer === undefined || definition === undefined) return;
  switch (answer.kind) {
    case "result":
      if (!call.isJoined || isOneValue(answer.result)) call.result = answer.result;
      else call.error = { name: "unavailable", internal: `${answer.upstream.name}: invalid JSON` };
      return;
    case "refused":
      call.error = answer.error;
      return;
    case "failure": {
      // What was asked in its place is not what the client knows.
      const isOwn = definition.method === call.method;
      const asked = isOwn ? definition : { ...definition, method: call.method };
      const error = toClientError(answer.failure, asked);
      if (error === null) call.result = ["null"];
      else call.error = error;
      return;
    }
    case "too_large":
      call.error = { name: "answer_too_large" };
      return;
    case "no_room":
      call.error = { name: "memory_exhausted" };
      return;
    case "behind":
      call.error = notAvailableYet(call.minBlock);
      return;
    case "exhausted":
      call.error = { name: "unavailable", internal: answer.internal };
  }
}
