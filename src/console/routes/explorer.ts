import { readFile } from "node:fs/promises";
import { ExplorerKeys } from "../accounts/explorer-keys.ts";
import type { ApiParts } from "../api/parts.ts";
import { Problem } from "../api/problem.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import { type ExplorerBody, explore, watch } from "../contract/explorer.ts";
import { callGateway, type GatewayAnswer } from "../gateway/explorer-call.ts";
import { watchGateway } from "../gateway/explorer-stream.ts";

export function explorerRoutes(parts: ApiParts): BoundRoute[] {
  const { config, clock } = parts;
  const { tls } = config.server;
  const keys = new ExplorerKeys(parts);
  const names = config.networks.map(({ name }) => name);
  return [
    bind(explore, async ({ account, body, note }) => {
      checkNetwork(names, body.network);
      const onMade = (id: string) => note({ action: "key.create", target: id });
      let key = await keys.of(account, onMade);
      const request = requestOf(body);
      // Read each time: it may have been renewed.
      const ca = tls && (await readFile(tls.cert, "utf8"));
      const call = (text: string) =>
        callGateway(`${parts.gatewayUrl}/${body.network}/v3/${text}`, request, ca);
      let began = clock.monotonic();
      let answer = await call(key.text);
      // Somebody has revoked it: another one is made, once.
      if (answer.status === 401) {
        key = await keys.of(account, onMade, key);
        began = clock.monotonic();
        answer = await call(key.text);
      }
      const ms = Math.round((clock.monotonic() - began) * 10) / 10;
      return { request, ...answerView(answer), ms, key: key.id };
    }),
    bind(watch, async ({ account, body, note }) => {
      checkNetwork(names, body.network);
      const request = requestOf(body);
      const onMade = (id: string) => note({ action: "key.create", target: id });
      const key = await keys.of(account, onMade);
      const ca = tls && (await readFile(tls.cert, "utf8"));
      const base = parts.gatewayUrl.replace(/^http/, "ws");
      const url = `${base}/${body.network}/ws/v3/${key.text}`;
      return {
        subscribe: (send, done) =>
          watchGateway(
            { url, request, ca },
            {
              message: (message) => send("message", JSON.stringify(message)),
              end: (end, refused) => {
                // Somebody has revoked it: the next call makes another one.
                if (refused) void keys.of(account, () => undefined, key).catch(() => undefined);
                send("end", JSON.stringify(end));
                done();
              },
            },
          ),
      };
    }),
  ];
}

function checkNetwork(names: readonly string[], network: string): void {
  if (names.includes(network)) return;
  const named = JSON.stringify(network);
  const text = `there is no network ${named}; the networks are ${names.join(", ")}`;
  throw new Problem("bad_request", text, { field: "body.network" });
}

function requestOf({ method, params }: ExplorerBody): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

function answerView({ status, headers, text, cut }: GatewayAnswer) {
  const one = (name: string): string | null => {
    const value = headers[name];
    return typeof value === "string" ? value : null;
  };
  return {
    ...{ status, answer: text, cut },
    credits: Number(one("x-credits-charged") ?? 0),
    block: one("x-block"),
    servedBy: one("x-served-by"),
  };
}
