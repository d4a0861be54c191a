/** A local node answers in milliseconds; loading a kept chain has its own bound. */
const TIMEOUT_MS = 10_000;

type Answer = { result?: unknown; error?: { code: number; message: string } };

/**
 * One call to the local node, which is trusted: its result is taken as the shape that the caller
 * names. @throws Error with the node's text where it answers with an error
 */
export async function rpc<Result>(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<Result> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer = (await response.json()) as Answer;
  if (answer.error !== undefined) {
    throw new Error(`the local chain refused ${method}: ${answer.error.message}`);
  }
  return answer.result as Result;
}
