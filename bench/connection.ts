import { connect, type Socket } from "node:net";

/** Where a subject answers. */
export type Address = { readonly port: number; readonly path: string };

/** One keep-alive connection with one request in the air at most. */
export type Connection = {
  /** `answered` gets null, or what is wrong with the answer. */
  readonly send: (request: Outgoing, answered: (fault: string | null) => void) => void;
  /** Bytes that have come since it was opened. */
  readonly received: () => number;
  readonly close: () => void;
};

export type Outgoing = {
  /** ASCII. */
  readonly body: string;
  /** In place of the address's; for HTTP alone. */
  readonly path?: string | undefined;
  /** What the first bytes of a good answer hold; a result unless it is given. */
  readonly expected?: string | undefined;
};

/** Takes bytes; returns a whole answer's fault (null: none), or undefined while one is on its way. */
type Reader = (chunk: Buffer, expected: string) => string | null | undefined;

/** How much of an answer is looked at: enough to tell a result from an error. */
const LOOKED_AT_BYTES = 200;
const RESULT = '"result"';
/** RFC 6455, 5.2; a ping carries 125 bytes at most. */
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
/** The mask of every WebSocket frame sent; its value says nothing to the server. */
const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

/** Opens a connection. Rejects with an Error where the address does not take it. */
export async function open(protocol: "http" | "websocket", address: Address): Promise<Connection> {
  const socket = connect({ host: "127.0.0.1", port: address.port, noDelay: true });
  await event(socket, "connect");
  if (protocol === "http") {
    const tail = ` HTTP/1.1\r\nHost: 127.0.0.1:${address.port}\r\nContent-Type: application/json\r\nContent-Length: `;
    const head = `POST ${address.path}${tail}`;
    const write = ({ body, path }: Outgoing) => {
      const own = path === undefined ? head : `POST ${path}${tail}`;
      socket.write(`${own}${body.length}\r\n\r\n${body}`, "latin1");
    };
    return connection(socket, write, httpReader());
  }
  await upgrade(socket, address);
  const pong = (payload: string) => socket.write(frame(PONG, payload));
  return connection(socket, ({ body }) => socket.write(frame(TEXT, body)), webSocketReader(pong));
}

function connection(socket: Socket, write: (request: Outgoing) => void, read: Reader): Connection {
  let waiting: ((fault: string | null) => void) | null = null;
  let expected = RESULT;
  const settle = (fault: string | null) => {
    const answered = waiting;
    waiting = null;
    answered?.(fault);
  };
  socket.on("data", (chunk: Buffer) => {
    const fault = read(chunk, expected);
    if (fault !== undefined) settle(fault);
  });
  socket.on("error", (error) => settle(error.message));
  socket.on("close", () => settle("the connection was closed"));
  return {
    send: (request, answered) => {
      waiting = answered;
      expected = request.expected ?? RESULT;
      if (socket.destroyed) settle("the connection is closed");
      else write(request);
    },
    received: () => socket.bytesRead,
    close: () => socket.destroy(),
  };
}

/** Reads answers of status, head and Content-Length only: no chunks, no pipelining. */
function httpReader(): Reader {
  let start: Buffer | null = null;
  let left = 0;
  let fault: string | null = null;
  return (chunk, expected) => {
    if (left > 0) {
      left -= chunk.length;
      return left > 0 ? undefined : fault;
    }
    const bytes = start === null ? chunk : Buffer.concat([start, chunk]);
    start = bytes;
    const headEnd = bytes.indexOf("\r\n\r\n", 0, "latin1");
    if (headEnd < 0) return undefined;
    const head = bytes.toString("latin1", 0, headEnd);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) return `an answer without Content-Length: ${head.slice(0, 80)}`;
    const here = bytes.length - headEnd - 4;
    if (here < Math.min(Number(length), LOOKED_AT_BYTES)) return undefined;
    const looked = bytes.toString("latin1", headEnd + 4, headEnd + 4 + LOOKED_AT_BYTES);
    fault = head.startsWith("HTTP/1.1 200 ")
      ? faultOf(looked, expected)
      : `${head.slice(9, 40)}: ${looked}`;
    start = null;
    left = Number(length) - here;
    return left > 0 ? undefined : fault;
  };
}

/** Reads unfragmented frames; each ping is answered, or the server takes its client for gone. */
function webSocketReader(pong: (payload: string) => void): Reader {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk, expected) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 2) {
      const short = rest.readUInt8(1) & 0x7f;
      const start = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (rest.length < start) return undefined;
      const length =
        short === 127
          ? Number(rest.readBigUInt64BE(2))
          : short === 126
            ? rest.readUInt16BE(2)
            : short;
      if (rest.length < start + length) return undefined;
      const opcode = rest.readUInt8(0) & 0x0f;
      const looked = rest.toString("latin1", start, start + Math.min(length, LOOKED_AT_BYTES));
      rest = rest.subarray(start + length);
      if (opcode === TEXT) return faultOf(looked, expected);
      if (opcode === CLOSE) return `closed with ${looked}`;
      if (opcode === PING) pong(looked);
    }
    return undefined;
  };
}

function faultOf(looked: string, expected: string): string | null {
  return looked.includes(expected) ? null : looked;
}

/** A frame as a client sends it: masked, in one piece. `body`: a character a byte, 65,535 at most. */
function frame(opcode: number, body: string): Buffer {
  const start = body.length < 126 ? 6 : 8;
  const bytes = Buffer.allocUnsafe(start + body.length);
  bytes.writeUInt8(0x80 | opcode, 0);
  if (body.length < 126) {
    bytes.writeUInt8(0x80 | body.length, 1);
  } else {
    bytes.writeUInt8(0x80 | 126, 1);
    bytes.writeUInt16BE(body.length, 2);
  }
  bytes.set(MASK, start - 4);
  for (let at = 0; at < body.length; at += 1) {
    bytes[start + at] = body.charCodeAt(at) ^ (MASK[at & 3] ?? 0);
  }
  return bytes;
}

async function upgrade(socket: Socket, address: Address): Promise<void> {
  socket.write(
    `GET ${address.path} HTTP/1.1\r\nHost: 127.0.0.1:${address.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16, 7).toString("base64")}\r\n\r\n`,
  );
  const answer = String(await event(socket, "data"));
  if (!answer.startsWith("HTTP/1.1 101 ")) {
    socket.destroy();
    throw new Error(`the WebSocket was refused: ${answer.slice(0, LOOKED_AT_BYTES)}`);
  }
}

function event(socket: Socket, name: "connect" | "data"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error("the connection was refused or closed"));
    socket.once("error", fail);
    socket.once("close", fail);
    socket.once(name, (value: unknown) => {
      socket.off("error", fail);
      socket.off("close", fail);
      resolve(value);
    });
  });
}
