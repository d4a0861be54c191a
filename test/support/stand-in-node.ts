import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export type NodeRequest = {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
  /** The body's own bytes. */
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
};

/** What the node says: a result or error put into an envelope, or any body with any status. */
export type NodeReply =
  | { readonly result: unknown }
  /** JSON text, sent to the letter. */
  | { readonly resultText: string }
  | { readonly error: unknown; readonly status?: number }
  | { readonly body: string | Buffer; readonly status?: number; readonly headers?: object }
  /** No answer; the connection is cut, or stays open in silence. */
  | "reset"
  | "hang";

type Call = Pick<NodeRequest, "id" | "method" | "params">;

export type StandInNode = {
  readonly url: string;
  /** Every request so far, those of a batch one by one, without what the gateway asks for its own sake: chain, heads, tags. */
  readonly requests: readonly NodeRequest[];
  /** The block that it gives when it is asked for `latest`: one higher at most from poll to poll. */
  head: number;
  /** The blocks of the tags that it answers by itself; others come to `reply`. */
  tags: Readonly<Partial<Record<"safe" | "finalized", number>>>;
  /** Of a slot network: what it answers by itself to getGenesisHash, and to getSlot by commitment. */
  genesisHash: string;
  slots: Readonly<Record<"processed" | "confirmed" | "finalized", number>>;
  /** What it answers to everything, the gateway's own questions included; undefined: it is well. */
  sickness: NodeReply | undefined;
  /** What it answers from now on. */
  reply: (request: NodeRequest) => NodeReply | Promise<NodeReply>;
  readonly stop: () => Promise<void>;
};

/** A node for faults and for answers that no local node gives. */
export async function startStandInNode(
  reply: StandInNode["reply"] = () => ({ result: null }),
  chainId = 1,
): Promise<StandInNode> {
  const requests: NodeRequest[] = [];
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      // It takes no WebSockets.
      response.writeHead(405).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const { headers } = request;
      const answer = ({ id, method, params }: Call): NodeReply | Promise<NodeReply> => {
        const own = method === "eth_chainId" ? quantity(chainId) : polled(node, { method, params });
        if (own !== undefined) return node.sickness ?? { result: own };
        const asked = { id, method, params, text, headers };
        requests.push(asked);
        return node.sickness ?? node.reply(asked);
      };
      const parsed: Call | Call[] = JSON.parse(text);
      if (!Array.isArray(parsed)) {
        send(response, parsed.id, await answer(parsed));
        return;
      }
      const answers = parsed.map(async (call) => bytesOf(call.id, await answer(call)));
      const parts = (await Promise.all(answers)).flatMap((each) => [Buffer.from(","), each]);
      send(response, 0, {
        body: Buffer.concat([Buffer.from("["), ...parts.slice(1), Buffer.from("]")]),
      });
    });
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const node: StandInNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    head: 0x10,
    tags: {},
    genesisHash: GENESIS,
    slots: { processed: 1000, confirmed: 999, finalized: 968 },
    sickness: undefined,
    reply,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return node;
}

/** Solana's. */
const GENESIS = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

/** Clients' own tags are numbers when they reach a node: a tag is the gateway's own question. */
function polled(
  { head, tags, genesisHash, slots }: StandInNode,
  { method, params }: Pick<NodeRequest, "method" | "params">,
): unknown {
  const [block] = params;
  if (method === "getGenesisHash") return genesisHash;
  if (method === "getSlot") return slots[commitmentOf(params)];
  if (method !== "eth_getBlockByNumber") return undefined;
  const number = { latest: head, ...tags }[String(block)];
  if (number === undefined) return undefined;
  const hashes = { hash: hashOf(number), parentHash: hashOf(number - 1) };
  return { ...hashes, number: quantity(number), gasLimit: "0x1c9c380", timestamp: "0x65000000" };
}

/** As a node does it: finalized where the request does not say. */
function commitmentOf([config]: readonly unknown[]): keyof StandInNode["slots"] {
  const { commitment = "finalized" } = (config ?? {}) as {
    commitment?: keyof StandInNode["slots"];
  };
  return commitment;
}

const quantity = (value: number): string => `0x${value.toString(16)}`;
const hashOf = (number: number): string => `0xa1${(number + 1).toString(16).padStart(62, "0")}`;

function send(response: ServerResponse, id: number, reply: NodeReply): void {
  if (reply === "hang") return;
  if (reply === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  const status = "status" in reply ? (reply.status ?? 200) : 200;
  const headers = "body" in reply ? reply.headers : { "content-type": "application/json" };
  response.writeHead(status, { ...headers });
  response.end(bytesOf(id, reply));
}

function bytesOf(id: number, reply: NodeReply): Buffer {
  if (typeof reply === "string") throw new Error(`of several calls none can have ${reply}`);
  if ("body" in reply) return Buffer.from(reply.body);
  if ("resultText" in reply) {
    return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${reply.resultText}}\n`);
  }
  return Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
}
