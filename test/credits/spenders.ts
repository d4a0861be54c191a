import { setTimeout } from "node:timers/promises";
import { Agent, request } from "undici";
import { type Client, connect } from "../websocket/client.ts";
import { compose, type Price, type Question, type Random, textOf } from "./calls.ts";
import { below, type Tally } from "./tally.ts";

export type SpenderOptions = {
  readonly key: string;
  readonly prices: readonly Price[];
  /** The port that the next connection goes to. */
  readonly port: () => number | Promise<number>;
  readonly random: Random;
  readonly tally: Tally;
  /** Of the calls, those that no node serves. */
  readonly notServedShare?: number;
  /** Each client's, between an answer and the next message; default 0. */
  readonly pauseMs?: number;
  /** Ends it while there still are credits. */
  readonly signal?: AbortSignal;
};

/** Many clients, every second one on a WebSocket, until none can afford what it asks for. */
export async function spend(
  clients: number,
  options: Omit<SpenderOptions, "port"> & {
    readonly port: (client: number) => number | Promise<number>;
  },
): Promise<void> {
  const agent = new Agent();
  try {
    await Promise.all(
      Array.from({ length: clients }, (_, client) => {
        // Two at a time, so that each gateway has clients of both kinds.
        const own = { ...options, port: () => options.port(client >> 1) };
        return client % 2 === 0 ? spendOverHttp(own, agent) : spendOverWebSocket(own);
      }),
    );
  } finally {
    await agent.close();
  }
}

async function spendOverHttp(options: SpenderOptions, dispatcher: Agent): Promise<void> {
  const { key, random, tally, signal } = options;
  let prices: ReadonlySet<Price> = new Set(options.prices);
  while (prices.size > 0 && signal?.aborted !== true) {
    if (options.pauseMs !== undefined) await setTimeout(options.pauseMs);
    const message = compose(prices, random, options.notServedShare);
    const url = `http://127.0.0.1:${await options.port()}/node/v3/${key}`;
    try {
      const { headers, body } = await request(url, {
        method: "POST",
        body: textOf(message),
        dispatcher,
      });
      const { served, refused } = tally.read(message, await body.text());
      tally.charge(served, headers["x-credits-charged"]?.toString());
      prices = below(prices, refused);
    } catch (error) {
      if (!isRefusedConnection(error)) tally.doubtful.push(...message);
    }
  }
}

/** Nobody read the message. */
function isRefusedConnection(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
}

async function spendOverWebSocket(options: SpenderOptions): Promise<void> {
  let prices: ReadonlySet<Price> = new Set(options.prices);
  while (prices.size > 0 && options.signal?.aborted !== true) {
    const url = `ws://127.0.0.1:${await options.port()}/node/ws/v3/${options.key}`;
    const client = await connect(url).catch(() => undefined);
    if (client !== undefined) prices = await spendOn(client, prices, options);
  }
}

/** Until the gateway closes the connection, or it is to end. */
async function spendOn(
  client: Client,
  prices: ReadonlySet<Price>,
  { random, notServedShare, tally, pauseMs, signal }: SpenderOptions,
): Promise<ReadonlySet<Price>> {
  let affordable = prices;
  let read = 0;
  const composed = () => compose(affordable, random, notServedShare);
  for (;;) {
    if (pauseMs !== undefined) await setTimeout(pauseMs);
    if (signal?.aborted === true) {
      client.socket.close();
      return affordable;
    }
    // A single call and, now and then, a batch in the air with it, in any order of their answers.
    const messages = [[...composed()].slice(0, 1)];
    if (random() < 0.5) messages.push([...composed()]);
    for (const message of messages) client.send(textOf(message));
    const open = await client.received(read + messages.length).then(
      () => true,
      () => false,
    );
    let refused = Number.POSITIVE_INFINITY;
    for (const text of client.messages.slice(read)) {
      read += 1;
      const message = takeAnswered(messages, text);
      refused = Math.min(refused, tally.read(message, text).refused);
    }
    affordable = below(affordable, refused);
    if (open && refused === Number.POSITIVE_INFINITY) continue;
    const { code } = await client.closed;
    tally.closed.push(code);
    // Cut off; otherwise the gateway has answered all that it had read.
    if (code === 1006) tally.doubtful.push(...messages.flat());
    return affordable;
  }
}

/** Takes out the message that this answers: the batch, where neither id nor array tell. */
function takeAnswered(messages: Question[][], text: string): readonly Question[] {
  const answer = JSON.parse(text) as { id: number | null }[] | { id: number | null };
  const id = Array.isArray(answer) ? answer[0]?.id : answer.id;
  const named = messages.findIndex((message) => message[0]?.id === id);
  const [message = []] = messages.splice(named === -1 ? messages.length - 1 : named, 1);
  return message;
}
