import { type Answer, ask } from "../http/ask.ts";
import { connect } from "../websocket/client.ts";
import { type Price, questionOf, textOf } from "./calls.ts";
import type { Customer, TwoGateways } from "./two-gateways.ts";

/** The customer's calls to both gateways, and what the answers charged. */
export function callerOf({ gateways }: TwoGateways, { key }: Customer) {
  let charged = 0;
  const call = async (gateway: 0 | 1, price: Price): Promise<Answer> => {
    const body = textOf([questionOf(price)]);
    const answer = await ask(gateways[gateway].port, { target: `/node/v3/${key}`, body });
    charged += Number(answer.headers["x-credits-charged"] ?? 0);
    return answer;
  };
  const each = (price: Price) => Promise.all([call(0, price), call(1, price)]);
  return {
    call,
    charged: () => charged,
    /** What both answer, by HTTP status. */
    statuses: async () => (await each(5)).map(({ status }) => status),
    /** What both answer a call of this price with. */
    errors: async (price: Price) =>
      (await each(price)).map(({ text }) => (JSON.parse(text) as { error?: object }).error),
  };
}

/** A WebSocket to each gateway. */
export async function socketsOf({ gateways }: TwoGateways, { key }: Customer) {
  const sockets = await Promise.all(
    gateways.map(({ port }) => connect(`ws://127.0.0.1:${port}/node/ws/v3/${key}`)),
  );
  const codes = Promise.all(sockets.map(async ({ closed }) => (await closed).code));
  const errors = () =>
    Promise.all(
      sockets.map(async ({ send, received, messages }) => {
        const before = messages.length;
        send(textOf([questionOf(80)]));
        const text = (await received(before + 1))[before] ?? "";
        return (JSON.parse(text) as { error?: object }).error;
      }),
    );
  return {
    /** What both are closed with. */
    codes,
    codesSoFar: () => Promise.race([codes, undefined]),
    /** What both answer a call with. */
    errors,
  };
}
