import { setTimeout as pause } from "node:timers/promises";
import { type Answer, ask } from "../http/ask.ts";
import type { TestGateway } from "../support/gateway.ts";

/** Of the one call that they make. */
export const PRICE = 5;
const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
/** Between two calls of one caller, so that a refusal does not make it spin. */
const PAUSE_MS = 5;

export type Callers = {
  /** Every answer so far. */
  readonly answers: readonly Answer[];
  readonly served: () => number;
  /** After the calls in the air. */
  readonly end: () => Promise<void>;
};

/** Some clients that call one after the other, whatever they are answered. */
export function startCallers({ port, key }: Pick<TestGateway, "port" | "key">, count = 4): Callers {
  const answers: Answer[] = [];
  let ending = false;
  const run = async () => {
    while (!ending) {
      answers.push(await ask(port, { target: `/net/v3/${key}`, body: CALL }));
      await pause(PAUSE_MS);
    }
  };
  const running = Array.from({ length: count }, run);
  return {
    answers,
    served: () => answers.filter(({ status }) => status === 200).length,
    end: async () => {
      ending = true;
      await Promise.all(running);
    },
  };
}

/** How the event loop turns: the number of ticks of a timer, and the longest time without one. */
export function watchLoop(): { readonly end: () => { ticks: number; longestMs: number } } {
  let ticks = 0;
  let longestMs = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    ticks += 1;
    longestMs = Math.max(longestMs, now - last);
    last = now;
  }, 10);
  return {
    end: () => {
      clearInterval(timer);
      return { ticks, longestMs };
    },
  };
}
