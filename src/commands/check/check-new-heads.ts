import { systemClock } from "../../lib/clock.ts";
import type { TimerWheel } from "../../lib/timer-wheel.ts";
import { redact } from "../../telemetry/redact.ts";
import { WsUpstream, type WsUpstreamOptions } from "../../transports/ws-upstream.ts";
import { CHECK_MS, Inquiry, readNumber } from "./check-inquiry.ts";

/** `ok` where the node takes the subscription, and is of the same chain there; else why not. */
export async function tryNewHeads(
  options: WsUpstreamOptions & { readonly chain: number | string | undefined },
  timers: TimerWheel,
): Promise<string> {
  const told = Promise.withResolvers<string | undefined>();
  const node = new WsUpstream(options, {
    ...{ clock: systemClock, timers, random: Math.random },
    observer: {
      head: () => undefined,
      state: (state, reason) => told.resolve(state === "flowing" ? undefined : reason),
    },
  });
  const timer = timers.set(CHECK_MS, () => told.resolve(`no answer within ${CHECK_MS / 1000} s`));
  const inquiry = new Inquiry(node, systemClock);
  try {
    node.open();
    const refused = await told.promise;
    if (refused !== undefined) return redact(refused).replace(/\s+/g, " ");
    const { value, fault } = readNumber(await inquiry.ask("eth_chainId"));
    if (value === undefined) return fault;
    return value === options.chain ? "ok" : `is of chain ${value}`;
  } finally {
    timers.clear(timer);
    await node.close();
  }
}
