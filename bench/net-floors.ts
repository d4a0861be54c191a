import { connect, createServer, type Server, type Socket } from "node:net";
import { constantOf } from "./constant-answers.ts";

/**
 * The floors on `node:net`: for requests of one form only (POST, a head in one piece, Content-Length
 * written so, nothing pipelined behind a body), which is what the generator and the stand-in node send.
 */

const LENGTH = "Content-Length: ";
const [DIGIT_0, DIGIT_9] = [0x30, 0x39];

/** Answers every request with the constant that its connection's first path names. */
export function netConstant(): Server {
  return createServer({ noDelay: true }, (socket) => {
    let left = 0;
    let answer = "";
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      if (left === 0) left = lengthOf(chunk);
      left -= chunk.length;
      if (left !== 0) return;
      if (answer === "") answer = whole(constantOf(pathOf(chunk)));
      socket.write(answer, "latin1");
    });
  });
}

/** Passes each request to a connection to the node that no other request is on, and its answer back. */
export function netProxy(nodePort: number): Server {
  const idle: NodeConnection[] = [];
  return createServer({ noDelay: true }, (client) => {
    let left = 0;
    let node: NodeConnection | undefined;
    const answered = (owner: NodeConnection) => {
      node = undefined;
      idle.push(owner);
    };
    client.on("error", () => client.destroy());
    client.on("close", () => node?.socket.destroy());
    client.on("data", (chunk: Buffer) => {
      if (left === 0) {
        left = lengthOf(chunk);
        node = idle.pop() ?? nodeConnection(nodePort);
        node.take(client, answered);
      }
      left -= chunk.length;
      node?.socket.write(chunk);
    });
  });
}

type NodeConnection = {
  readonly socket: Socket;
  /** The next answer is this client's; `answered` is called at its end. */
  readonly take: (client: Socket, answered: (owner: NodeConnection) => void) => void;
};

function nodeConnection(port: number): NodeConnection {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  let client: Socket | undefined;
  let answered: (owner: NodeConnection) => void = () => undefined;
  let left = 0;
  const own: NodeConnection = {
    socket,
    take: (next, then) => {
      client = next;
      answered = then;
    },
  };
  socket.on("error", () => client?.destroy());
  socket.on("close", () => client?.destroy());
  socket.on("data", (chunk: Buffer) => {
    if (left === 0) left = lengthOf(chunk);
    left -= chunk.length;
    client?.write(chunk);
    if (left > 0) return;
    client = undefined;
    answered(own);
  });
  return own;
}

/** Bytes of the message that begins here, its head included. */
function lengthOf(bytes: Buffer): number {
  const headEnd = bytes.indexOf("\r\n\r\n", 0, "latin1");
  const at = bytes.indexOf(LENGTH, 0, "latin1") + LENGTH.length;
  let length = 0;
  for (let place = at; ; place += 1) {
    const digit = bytes[place] ?? 0;
    if (digit < DIGIT_0 || digit > DIGIT_9) break;
    length = length * 10 + digit - DIGIT_0;
  }
  return headEnd + 4 + length;
}

function pathOf(bytes: Buffer): string {
  const start = "POST ".length;
  return bytes.toString("latin1", start, bytes.indexOf(" ", start, "latin1"));
}

function whole(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
