import { type IncomingHttpHeaders, request } from "node:http";

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

export type Question = {
  readonly method?: string;
  /** The request target, sent as it is. */
  readonly target: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
};

export const CHAIN_ID = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';

/** One request on a connection of its own, its target and headers as they are given. */
export function ask(port: number, question: Question): Promise<Answer> {
  const { method = "POST", target, headers = {}, body = CHAIN_ID } = question;
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", method, path: target, headers, agent: false });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.end(method === "POST" ? body : undefined);
  });
}

/** An HTTP status's own error, with the id null. */
export const refusalOf = (code: number, message: string, details: string): object => ({
  jsonrpc: "2.0",
  id: null,
  error: { code, message, details },
});

export const INVALID_KEY: object = {
  jsonrpc: "2.0",
  id: null,
  error: { code: 401, event: -33001, message: "Unauthorized", details: "invalid API key" },
};
