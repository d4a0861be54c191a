import { connect, type Socket } from "node:net";

/** A client that sends whatever bytes it likes, and waits for the server to close. */
export type RawConnection = {
  readonly socket: Socket;
  readonly send: (bytes: string | Buffer) => void;
  /** What came so far, as a binary string. */
  readonly received: () => string;
  /** Resolves with all that came once the connection is closed; never rejects. */
  readonly closed: Promise<string>;
};

export function openRaw(port: number, host = "127.0.0.1"): Promise<RawConnection> {
  const socket = connect(port, host);
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(asRaw(socket));
    });
  });
}

/** Also for a TLS socket. */
export function asRaw(socket: Socket): RawConnection {
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  return {
    socket,
    send: (bytes) => {
      if (socket.writable) socket.write(bytes, "latin1");
    },
    received: () => text,
    closed: new Promise((resolve) => socket.once("close", () => resolve(text))),
  };
}

export type RawAnswer = { readonly status: number; readonly head: string; readonly body: string };

/** The HTTP answers in a text, told apart by their Content-Length. @throws where it is no such text */
export function readAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n");
    const head = rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    const sizeBytes = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const body = rest.slice(end + 4, end + 4 + sizeBytes);
    if (end < 0 || Number.isNaN(status) || body.length !== sizeBytes) {
      throw new Error(`no whole HTTP answer: ${rest.slice(0, 200)}`);
    }
    answers.push({ status, head, body });
    rest = rest.slice(end + 4 + sizeBytes);
  }
  return answers;
}
