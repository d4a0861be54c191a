import { isIPv4, isIPv6 } from "node:net";
import type { RpcError } from "../jsonrpc/errors.ts";
import { FAILURE_CLASSES } from "./failure-classes.ts";
import type { Failure } from "./failures.ts";

/** A node's text is cut there for clients and for the log; a revert's reason never is. */
const MAX_TEXT_CHARS = 1_000;
const NODE_ERROR_CODE = -32000;

/**
 * The error that a client gets for a node's failure; null where the answer is the JSON result
 * null. `lookup` says that the method looks up a block, transaction, receipt or uncle.
 */
export function toClientError(
  failure: Failure,
  call: {
    readonly method: string;
    readonly lookup?: string | undefined;
    readonly unknownBlock?: "node_error";
  },
): RpcError | null {
  switch (failure.answer ?? FAILURE_CLASSES[failure.class].answer) {
    case "null":
      return null;
    case "revert":
      return { name: "revert", message: revertMessage(failure.reason), data: failure.payload };
    case "failed":
      return { name: "execution_failed", ...textsFor(failure) };
    case "invalid_params":
      return { name: "node_invalid_params", ...textsFor(failure) };
    case "no_block":
      if (call.lookup !== undefined) return null;
      return call.unknownBlock ? nodeError(failure) : { name: "header_not_found" };
    case "no_method":
      return {
        name: "method_not_found",
        message: `the method ${call.method} does not exist/is not available`,
      };
    case "node_error":
      return nodeError(failure);
    case "unavailable":
      return { name: "unavailable", internal: cut(failure.message) };
  }
}

const revertMessage = (reason: string | null): string =>
  reason === null ? "execution reverted" : `execution reverted: ${reason}`;

function nodeError(failure: Failure): RpcError {
  return {
    name: "upstream_error",
    code: failure.code ?? NODE_ERROR_CODE,
    ...textsFor(failure),
    ...(failure.data !== undefined && { data: failure.data }),
  };
}

/** The node's text for the client, or `upstream error` and the text for the log alone. */
function textsFor({ message }: Failure): { message?: string; internal?: string } {
  if (message === "") return {};
  if (holdsAddress(message) || holdsMarkup(message)) {
    return { message: "upstream error", internal: cut(message) };
  }
  return { message: cut(message) };
}

/** Whether a text holds a URL, an IP address or host:port: those can hold an upstream's key. */
export function holdsAddress(text: string): boolean {
  if (text.includes("://")) return true;
  if (/(?<![\w.-])(?:[a-z0-9-]+\.)+[a-z]{2,}\/\S/i.test(text)) return true;
  if (/(?<![\w.-])(?=[\w.-]*[a-z])[\w.-]*\w:\d{2,5}(?!\w)/i.test(text)) return true;
  const words = text.match(/(?<![\w.:])[0-9a-f.:]{2,}(?!\w)/gi) ?? [];
  return words.some(isAddress);
}

function isAddress(word: string): boolean {
  const [host = ""] = word.replace(/[.:]+$/, "").split(":");
  return isIPv4(host) || (/[0-9a-f]/i.test(word) && isIPv6(word.replace(/\.+$/, "")));
}

/** A proxy's page in place of a node's text. */
const holdsMarkup = (text: string): boolean => /<(?:!doctype|html|head|body|title)\b/i.test(text);

const cut = (text: string): string =>
  text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS).toWellFormed()}…`;
