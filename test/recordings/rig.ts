import type { TestGateway } from "../support/gateway.ts";
import { startTestGateway } from "../support/gateway.ts";
import type { NodeReply, NodeRequest, StandInNode } from "../support/stand-in-node.ts";
import { startStandInNode } from "../support/stand-in-node.ts";

/** What a node once said: its HTTP status, and its body with the id that it was given then. */
export type Recorded = { readonly status: number; readonly body: string };

/** What a client got: HTTP status and body, and the body parsed. */
export type Given = {
  readonly status: number;
  readonly text: string;
  readonly json: { id?: unknown; result?: unknown; error?: ErrorObject };
};
export type ErrorObject = { code?: unknown; message?: unknown; data?: unknown };

/** A gateway with networks whose nodes say what a test makes them say. */
export type Rig = {
  readonly gateway: TestGateway;
  readonly nodes: Readonly<Record<string, readonly StandInNode[]>>;
  /** One message to a network; `asked` is what each of its nodes was asked meanwhile. */
  readonly send: (
    network: string,
    body: string,
    transport?: "http" | "ws",
  ) => Promise<Given & { readonly asked: readonly (readonly NodeRequest[])[] }>;
  /** The sum of a metric's lines that contain all of these label texts. */
  readonly metric: (name: string, ...labels: readonly string[]) => Promise<number>;
  readonly stop: () => Promise<void>;
};

export type RigNetwork = {
  readonly nodes?: number;
  readonly options?: object;
  /** Of its nodes, where that is not what all stand-in nodes have. */
  readonly chain?: Partial<Pick<StandInNode, "head" | "tags">> & { readonly chainId?: number };
};

export async function startRig(networks: Readonly<Record<string, RigNetwork>>): Promise<Rig> {
  const nodes: Record<string, StandInNode[]> = {};
  const configured: object[] = [];
  for (const [name, { nodes: count = 1, options, chain = {} }] of Object.entries(networks)) {
    const { chainId, ...blocks } = chain;
    const start = async () => Object.assign(await startStandInNode(undefined, chainId), blocks);
    const own = await Promise.all(Array.from({ length: count }, start));
    nodes[name] = own;
    const upstreams = own.map(({ url }, index) => ({ name: `${name}-${index}`, url }));
    configured.push({ name, family: "evm", upstreams, ...options });
  }
  const gateway = await startTestGateway({ networks: configured });
  return {
    gateway,
    nodes,
    send: async (network, body, transport = "http") => {
      const own = nodes[network] ?? [];
      const before = own.map(({ requests }) => requests.length);
      const given =
        transport === "http"
          ? await post(gateway.http(network), body)
          : await exchange(gateway.ws(network), body);
      return { ...given, asked: own.map(({ requests }, at) => requests.slice(before[at])) };
    },
    metric: async (name, ...labels) =>
      sumOf(await (await gateway.admin("/metrics")).text(), name, labels),
    stop: async () => {
      await gateway.stop();
      await Promise.all(Object.values(nodes).flatMap((own) => own.map((node) => node.stop())));
    },
  };
}

async function post(url: string, body: string): Promise<Given> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text) };
}

async function exchange(url: string, message: string): Promise<Given> {
  const socket = new WebSocket(url);
  const text = await new Promise<string>((resolve, reject) => {
    socket.onopen = () => socket.send(message);
    socket.onmessage = ({ data }) => resolve(String(data));
    socket.onclose = ({ code }) => reject(new Error(`closed with ${code}`));
  });
  socket.close();
  return { status: 200, text, json: JSON.parse(text) };
}

function sumOf(page: string, name: string, labels: readonly string[]): number {
  return page
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

const ENVELOPE_ID =
  /^(\s*\{(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*)(?:null|true|false|[\d.eE+-]+|"[^"]*")(?=\s*[,}])/;

/** The recorded answer, to the letter, but with the id of the request that is answered now. */
export function replayed({ status, body }: Recorded, { id }: NodeRequest): NodeReply {
  return { status, body: body.replace(ENVELOPE_ID, (_whole, before) => `${before}${id}`) };
}
