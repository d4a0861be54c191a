export type ParsedRequest =
  | { readonly method: string; readonly params: readonly unknown[] }
  | { readonly fault: string };

/** The whole request as it would be written by hand. */
export function requestText(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }, undefined, 2);
}

/** Reads a request that was typed or pasted; a list alone is the params of `method`. */
export function parseRequest(text: string, method: string): ParsedRequest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { fault: `This is not valid JSON: ${reason}` };
  }
  if (Array.isArray(value)) {
    const isBatch = value.some(
      (one) => typeof one === "object" && one !== null && "jsonrpc" in one,
    );
    if (isBatch) return { fault: "This is a batch. The explorer sends one call at a time." };
    return { method, params: value };
  }
  if (typeof value !== "object" || value === null || !("method" in value)) {
    return { fault: 'Write a request with "method" and "params", or the list of params alone.' };
  }
  const params = "params" in value ? (value.params ?? []) : [];
  if (typeof value.method !== "string") return { fault: '"method" has to be a text.' };
  if (!Array.isArray(params)) return { fault: '"params" has to be a list.' };
  return { method: value.method, params };
}
