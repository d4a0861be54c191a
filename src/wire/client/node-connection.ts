import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { BodyBuffer } from "./body-buffer.ts";
import type { Dialer } from "./dialer.ts";
import type { Exchange } from "./exchange.ts";
import { type ConnectionOwner, HttpConnection } from "./http-connection.ts";
import { parseHead, type ResponseHead } from "./response-head.ts";
import type { Response } from "./response-reader.ts";

const OK = 200;

/** A connection whose requests and responses are node:http's. */
export class NodeHttpConnection extends HttpConnection {
  protected readonly socket: Socket;
  /** It knows this socket alone: a request that comes before the socket is free waits for it. */
  readonly #agent: Agent;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #head: ResponseHead | undefined;
  readonly #body: BodyBuffer;

  /** Begins to connect. */
  constructor(dialer: Dialer, owner: ConnectionOwner) {
    super(owner);
    this.socket = dialer.dial();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    // Once it is closed there is no other.
    agent.createConnection = () =>
      this.isEnded || this.socket.destroyed ? undefined : this.socket;
    this.#agent = agent;
    this.#body = new BodyBuffer(owner.loop.buffers);
    this.socket
      .on("data", () => {
        // Where nobody asked, node:http does not listen.
        if (this.exchange === undefined) this.endUnneeded();
        else this.onHeard();
      })
      .on("close", () => {
        // A body that ends with the connection is told of later.
        const isTold = this.exchange !== undefined && this.#response !== undefined;
        if (!isTold) this.break("CONNECTION_CLOSED");
      });
    this.listen(dialer);
  }

  protected send(exchange: Exchange): void {
    const text = exchange.request;
    const end = text.indexOf("\r\n\r\n");
    const [first = "", ...lines] = text.slice(0, end).split("\r\n");
    const [method, path] = first.split(" ");
    const headers = lines.flatMap((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    this.#response = undefined;
    this.#head = undefined;
    this.#body.clear();
    const sent = request({ agent: this.#agent, method, path, headers });
    this.#request = sent;
    sent.on("response", (response) => this.#onResponse(exchange, response));
    const isOther = () => this.#ifCarried(exchange, () => this.proceed("broken"));
    sent.on("upgrade", isOther);
    sent.on("error", ({ code = "" }: NodeJS.ErrnoException) => {
      // All others are the socket's, too. What cannot be read behind a whole response is nobody's.
      if (code.startsWith("HPE_") && this.#response?.complete !== true) isOther();
    });
    sent.end(text.slice(end + 4), "latin1");
  }

  protected wasSent(): boolean {
    return this.#request?.writableFinished === true;
  }

  protected response(): Response {
    if (this.#head === undefined) throw new Error("there is no whole response");
    return { head: this.#head, body: this.#body.take() };
  }

  protected heldBytes(): number {
    return this.#body.heldBytes;
  }

  protected forget(): void {
    this.#body.free();
  }

  #onResponse(exchange: Exchange, response: IncomingMessage): void {
    this.#response = response;
    const head = parseHead(headText(response));
    this.#head = head;
    this.#ifCarried(exchange, () => {
      // Another protocol was not asked for.
      if (head === undefined || head.status < OK) this.proceed("broken");
      else if (Number(head.body) > exchange.maxBytes) this.proceed("too_large");
      else if (typeof head.body === "number") this.#body.expect(head.body);
    });
    const reader = { stop: () => response.pause(), goOn: () => response.resume() };
    response.on("data", (chunk: Buffer) => {
      this.owner.loop.nodeReads.took(chunk.length, reader);
      this.#ifCarried(exchange, () => {
        const isTooLarge = this.#body.size + chunk.length > exchange.maxBytes;
        if (!isTooLarge) this.#body.append(chunk, 0, chunk.length);
        this.proceed(isTooLarge ? "too_large" : "unfinished");
      });
    });
    response.on("error", () => undefined);
    response.on("close", () => {
      this.#ifCarried(exchange, () => {
        if (response.complete) this.proceed(this.socket.destroyed ? "whole_and_more" : "whole");
        else this.break("CONNECTION_CLOSED");
      });
      // While the connection rests nothing of what it carried is held.
      if (this.#response !== response) return;
      this.#response = undefined;
      this.#request = undefined;
    });
  }

  /** node:http may tell of an exchange after its end. */
  #ifCarried(exchange: Exchange, then: () => void): void {
    if (this.exchange === exchange) then();
  }
}

function headText({ httpVersion, statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  let text = `HTTP/${httpVersion} ${statusCode} ${statusMessage}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    text += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  }
  return `${text}\r\n`;
}
