import type { Clock } from "../../src/lib/clock.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type NodeRequest, type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { connect } from "../websocket/client.ts";

export type Transport = "HTTP" | "WebSocket";
export const TRANSPORTS: readonly Transport[] = ["HTTP", "WebSocket"];

/** What a client got. Over WebSocket there is no status and no header. */
export type Given = {
  readonly status: number;
  readonly header: (name: string) => string | null;
  /** The whole of the answer, to the letter. */
  readonly text: string;
  readonly json: Answer;
};
export type Answer = {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

/** The text of a call; `params` is JSON text, so that no number is read and written on the way. */
export const callText = (method: string, params: string, id = 1): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;

export async function post(
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Given> {
  const sent = { "content-type": "application/json", ...headers };
  const response = await fetch(url, { method: "POST", headers: sent, body });
  const text = await response.text();
  const header = (name: string) => response.headers.get(name);
  return { status: response.status, header, text, json: JSON.parse(text) };
}

/** One message on a socket of its own. */
export async function overWebSocket(url: string, message: string): Promise<Given> {
  const client = await connect(url);
  client.send(message);
  const [text = ""] = await client.received(1);
  client.socket.terminate();
  return { status: 200, header: () => null, text, json: JSON.parse(text) };
}

/** The bytes of the result as the client got them. @throws where it got none */
export function resultText({ text }: Pick<Given, "text">): string {
  const [, result] = /^\{"jsonrpc":"2\.0","id":[^,]*,"result":(.*)\}\n?$/s.exec(text) ?? [];
  if (result === undefined) throw new Error(`no result: ${text.slice(0, 300)}`);
  return result;
}

/** A gateway before a slot network whose nodes say what a test makes them say. */
export type SlotRig = {
  readonly gateway: TestGateway;
  readonly nodes: readonly StandInNode[];
  readonly call: (method: string, params: string, transport?: Transport) => Promise<Given>;
  /** What the nodes are asked, but for the gateway's own questions, while `act` runs. */
  readonly asked: (act: () => Promise<unknown>) => Promise<(readonly NodeRequest[])[]>;
  readonly stop: () => Promise<void>;
};

/** So that each call says what a node, or a file, says now. */
export const NO_CACHE = { memoryBytes: 0 };

export type SlotRigOptions = {
  readonly nodes?: number;
  /** The slot that every node has at every commitment. */
  readonly head?: number;
  readonly genesisHash?: string;
  /** As in the configuration file. */
  readonly network?: object;
  readonly plans?: object;
  readonly cache?: object;
  readonly clock?: Clock;
};

export async function startSlotRig(options: SlotRigOptions = {}): Promise<SlotRig> {
  const { nodes: count = 1, head = 1000, genesisHash, network, plans = {}, clock } = options;
  const { cache = NO_CACHE } = options;
  const nodes = await Promise.all(Array.from({ length: count }, () => startStandInNode()));
  for (const node of nodes) {
    node.slots = slotsAt(head);
    node.genesisHash = genesisHash ?? node.genesisHash;
  }
  const upstreams = nodes.map(({ url }, index) => ({ name: nameOf(index), url }));
  const config = { name: "slots", family: "slot", upstreams, ...network };
  const gateway = await startTestGateway({
    ...{ networks: [config], plans, cache },
    ...(clock && { clock }),
  });
  return {
    gateway,
    nodes,
    call: (method, params, transport = "HTTP") =>
      transport === "HTTP"
        ? post(gateway.http(), callText(method, params))
        : overWebSocket(gateway.ws(), callText(method, params)),
    asked: async (act) => {
      const before = nodes.map(({ requests }) => requests.length);
      await act();
      return nodes.map(({ requests }, index) => requests.slice(before[index]));
    },
    stop: async () => {
      await gateway.stop();
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

export const slotsAt = (head: number): StandInNode["slots"] => ({
  processed: head,
  confirmed: head,
  finalized: head,
});

const nameOf = (index: number): string => "abc"[index] ?? "";
