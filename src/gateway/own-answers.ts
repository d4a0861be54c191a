import type { Identity } from "../access/authenticator.ts";
import { encode } from "../jsonrpc/value.ts";
import { toBinary } from "../lib/bytes.ts";
import type { Definition } from "../methods/definition.ts";
import type { Call } from "./call.ts";

type UsageOf = (identity: Identity) => Promise<string>;

/** Answers what the gateway knows of the caller, or does for it: no node is asked on the call's behalf. */
export function answerOwn(
  own: NonNullable<Definition["own"]>,
  call: Call,
  usageOf: UsageOf,
): "waiting" | undefined {
  switch (own) {
    case "usage":
      return tellUsage(call, usageOf);
    case "subscribe":
      return subscribe(call);
    case "unsubscribe":
      unsubscribe(call);
      return undefined;
  }
}

function tellUsage(call: Call, usageOf: UsageOf): "waiting" {
  usageOf(call.session.identity).then(
    (text) => {
      call.result = [toBinary(text)];
      call.goOn(call);
    },
    (error: unknown) => {
      call.error = { name: "credits_unavailable", internal: String(error) };
      call.goOn(call);
    },
  );
  return "waiting";
}

function subscribe(call: Call): "waiting" | undefined {
  let isWaiting = false;
  call.session.subscriptions?.subscribe(call.args, (outcome) => {
    if ("name" in outcome) call.error = outcome;
    else {
      call.opened = outcome;
      call.result = [encode(outcome.id)];
    }
    if (isWaiting) call.goOn(call);
  });
  isWaiting = call.result === undefined && call.error === undefined;
  return isWaiting ? "waiting" : undefined;
}

function unsubscribe(call: Call): void {
  const id = String(call.args[0]);
  if (call.session.subscriptions?.unsubscribe(id) === true) call.result = ["true"];
  else call.error = { name: "subscription_not_found" };
}
