import { expect, test } from "vitest";
import type { Asker, UpstreamRequest } from "../transports/transport.ts";
import { Attempt } from "./attempt.ts";
import { Upstream } from "./upstream.ts";

const CALL: UpstreamRequest = { method: "eth_call", params: "[]", timeoutMs: 1000 };

test("a question of the gateway's own does not take the trial of a half-open breaker", () => {
  let now = 0;
  const clock = { now: () => now, monotonic: () => now };
  const nothing = () => undefined;
  const waiting: Asker[] = [];
  const upstream = new Upstream(
    { name: "a", role: "primary", index: 0, lacks: [], archive: "auto" },
    {
      transport: {
        isConnected: true,
        call: (_, asker) => {
          waiting.push(asker);
          return { cancel: nothing };
        },
        close: async () => undefined,
      },
      clock,
      observe: nothing,
      events: {
        advanced: nothing,
        changed: nothing,
        answering: nothing,
        broke: nothing,
        asked: nothing,
      },
    },
  );
  const { breaker } = upstream;
  for (let fault = 0; fault < 5; fault += 1) breaker.failed();
  now = 1000;
  breaker.probeStarted(now);
  breaker.probeSucceeded();
  upstream.ask(CALL, nothing);
  expect(breaker.isFree).toBe(true);
  upstream.begin(new Attempt(upstream, now));
  expect(breaker.isFree).toBe(false);
  expect(waiting).toHaveLength(1);
});

test("a node whose connections ended is not believed to have any block until it tells again", () => {
  const nothing = () => undefined;
  const broken: string[] = [];
  const upstream = new Upstream(
    { name: "a", role: "primary", index: 0, lacks: [], archive: "auto" },
    {
      transport: { isConnected: true, call: () => ({ cancel: nothing }), close: async () => {} },
      clock: { now: () => 0, monotonic: () => 0 },
      observe: nothing,
      events: {
        ...{ advanced: nothing, changed: nothing, asked: nothing },
        answering: nothing,
        broke: ({ name }) => broken.push(name),
      },
    },
  );
  upstream.head = 10;
  upstream.broke();
  expect(upstream.head).toBe(-1);
  expect(broken).toEqual(["a"]);
});
