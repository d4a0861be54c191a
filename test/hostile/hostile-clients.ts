import { openRaw, type RawConnection } from "../support/raw-connection.ts";
import type { NodeReply, NodeRequest } from "../support/stand-in-node.ts";

/** One way to be a burden, and the statuses that the gateway answers before it closes. */
export type HostileKind = {
  readonly name: string;
  readonly statuses: readonly number[];
  /** What ends it. */
  readonly limit: "headersMs" | "bodyMs" | "stalledMs";
  readonly open: (target: Target) => Promise<RawConnection>;
};

export type Target = {
  readonly port: number;
  /** `/node/v3/KEY`, of a node that answers BIG with some 30 MB and the rest at once. */
  readonly path: string;
  /** Between two bytes of those that drip. */
  readonly dripMs: number;
};

const ADDRESS = "0x00000000000000000000000000000000000000";

/** What eth_getCode of `BIG` gives, as JSON. */
export const BIG_RESULT = Buffer.from(`"0x${"5b".repeat(15_000_000)}"`);

/** A node whose code is an address's last byte, and some 30 MB for BIG. */
export function answerBigOrSmall({ id, params }: NodeRequest): NodeReply {
  const address = String(params[0]).slice(-2);
  if (address !== BIG) return { resultText: `"0x${address}"` };
  const head = Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`);
  return { body: Buffer.concat([head, BIG_RESULT, Buffer.from("}")]) };
}

/** The call that `answerBigOrSmall` answers: with 30 MB for BIG, else with the address. */
export function codeOf(address: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["${ADDRESS}${address}","latest"]}`;
}
export const BIG = "ff";

const post = (path: string, headers: readonly string[]): string =>
  `${[`POST ${path} HTTP/1.1`, "Host: a", ...headers].join("\r\n")}\r\n\r\n`;
const call = (path: string, body: string): string =>
  `${post(path, [`Content-Length: ${body.length}`])}${body}`;

async function opened(target: Target, first = ""): Promise<RawConnection> {
  const connection = await openRaw(target.port);
  connection.send(first);
  return connection;
}

async function dripping(target: Target, first: string, drop: string): Promise<RawConnection> {
  const connection = await opened(target, first);
  const drip = setInterval(() => connection.send(drop), target.dripMs);
  void connection.closed.then(() => clearInterval(drip));
  return connection;
}

export const HOSTILE: readonly HostileKind[] = [
  {
    name: "connects and says nothing",
    statuses: [408],
    limit: "headersMs",
    open: (target) => opened(target),
  },
  {
    name: "stops in the middle of its headers",
    statuses: [408],
    limit: "headersMs",
    open: (target) => opened(target, `POST ${target.path} HTTP/1.1\r\nHo`),
  },
  {
    name: "sends a byte of its headers now and then",
    statuses: [408],
    limit: "headersMs",
    open: (target) => dripping(target, `POST ${target.path} HTTP/1.1\r\nX-Slow: `, "a"),
  },
  {
    name: "announces a body and sends none",
    statuses: [408],
    limit: "bodyMs",
    open: (target) => opened(target, post(target.path, ["Content-Length: 100"])),
  },
  {
    name: "stops in the middle of its body",
    statuses: [408],
    limit: "bodyMs",
    open: (target) => opened(target, call(target.path, codeOf("aa")).slice(0, -20)),
  },
  {
    name: "sends a byte of its body now and then",
    statuses: [408],
    limit: "bodyMs",
    open: (target) => dripping(target, post(target.path, ["Content-Length: 100000"]), " "),
  },
  {
    name: "sends a chunk now and then",
    statuses: [408],
    limit: "bodyMs",
    open: (target) =>
      dripping(target, post(target.path, ["Transfer-Encoding: chunked"]), "1\r\n \r\n"),
  },
  {
    name: "begins a second request and stops",
    statuses: [200, 408],
    limit: "headersMs",
    open: (target) => opened(target, `${call(target.path, codeOf("ab"))}POST /`),
  },
  {
    name: "goes on with the endless body of a request that was refused",
    statuses: [404],
    limit: "bodyMs",
    open: (target) => dripping(target, post("/nobody", ["Content-Length: 1000000000"]), " "),
  },
  {
    name: "asks for 30 MB and reads nothing of them",
    statuses: [],
    limit: "stalledMs",
    open: async (target) => {
      const connection = await opened(target);
      connection.socket.pause();
      connection.send(call(target.path, codeOf(BIG)));
      return connection;
    },
  },
];
