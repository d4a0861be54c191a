import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Problem } from "../api/problem.ts";
import { EXPLORER_ANSWER_BYTES } from "../contract/constants.ts";

const TIMEOUT_MS = 10_000;

export type GatewayAnswer = {
  /** The HTTP status. */
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** The first MiB. */
  readonly text: string;
  readonly cut: boolean;
};

/**
 * Posts a call to the gateway on this machine, where a certificate names another host: `ca` is the
 * gateway's own certificate (PEM), and any name of it is right.
 * @throws Problem where it does not answer in 10 s
 */
export async function callGateway(
  url: string,
  body: string,
  ca?: string | undefined,
): Promise<GatewayAnswer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    "User-Agent": "tollgate-explorer",
  };
  const options = { method: "POST", headers, signal };
  const request =
    ca === undefined
      ? requestHttp(url, options)
      : requestHttps(url, {
          ...options,
          ca,
          allowPartialTrustChain: true,
          checkServerIdentity: () => undefined,
        });
  try {
    const answered = responseOf(request);
    request.end(body);
    return await readAnswer(await answered);
  } catch (error) {
    throw silent(signal.aborted, error);
  } finally {
    request.destroy();
  }
}

function silent(isLate: boolean, cause: unknown): Problem {
  const text = isLate
    ? `no answer within ${TIMEOUT_MS / 1000} s; ask for less, or try again`
    : "the gateway does not answer; see in its log whether it runs, and try again";
  return new Problem("unavailable", text, { cause });
}

function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    request.on("error", reject);
  });
}

async function readAnswer(response: IncomingMessage): Promise<GatewayAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > EXPLORER_ANSWER_BYTES) break;
  }
  const cut = size > EXPLORER_ANSWER_BYTES;
  const bytes = Buffer.concat(chunks).subarray(0, EXPLORER_ANSWER_BYTES);
  const { statusCode: status = 0, headers } = response;
  return { status, headers, text: bytes.toString("utf8"), cut };
}
