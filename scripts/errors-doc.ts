/**
 * Writes docs/errors.md from the error table and the classes of upstream failures:
 * `npm run errors-doc`. A test fails while the two differ.
 */
import { writeFileSync } from "node:fs";
import { toClientError } from "../src/failures/client-error.ts";
import { FAILURE_CLASSES, type FailureClass } from "../src/failures/failure-classes.ts";
import { FAILURE_ROWS } from "../src/failures/failure-rows.ts";
import type { Failure } from "../src/failures/failures.ts";
import { ERRORS, type ErrorName } from "../src/jsonrpc/errors.ts";
import type { Definition } from "../src/methods/definition.ts";

const INTRODUCTION = `# Errors

<!-- Made by \`npm run errors-doc\` from src/jsonrpc/errors.ts and src/failures. -->

An error is an object beside the id, in JSON-RPC 2.0's form:

\`\`\`sh
curl -s http://127.0.0.1:8545/dev/v3/wrong -d '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}' \\
  -H 'content-type: application/json'
\`\`\`

<!-- test: output -->

\`\`\`json
{"jsonrpc":"2.0","id":null,"error":{"code":401,"event":-33001,"message":"Unauthorized","details":"invalid API key"}}
\`\`\`

\`event\`, \`details\` and \`data\` stand beside \`code\` and \`message\` where there is something to say:
\`event\` is a number that tells refusals apart, \`details\` a text for people, \`data\` the payload of a
revert, in hex.

Over HTTP a JSON-RPC answer has status 200, whatever it says. A refusal has the status in the table; a
batch has it where each of its calls was refused with that status, and the body is then one object with
the id null. Over WebSocket the same objects come without a status; an upgrade is refused by HTTP.

Where the table says "retry", asking again later may help; the answer over HTTP has \`Retry-After\`.
`;

type Row = { readonly event?: number } & (typeof ERRORS)[ErrorName];

/** The whole text of docs/errors.md. */
export function errorsDocument(): string {
  const errors = Object.entries(ERRORS).map(([name, row]: [string, Row]) => [
    `\`${name}\``,
    String(row.code),
    row.event === undefined ? "" : String(row.event),
    String(row.status),
    row.charged ? "yes" : "no",
    row.retryable ? "yes" : "no",
    row.message,
    row.meaning,
  ]);
  const classes = Object.entries(FAILURE_CLASSES).map(([name, rule]) => {
    const key = name as FailureClass;
    const [call, lookup] = [answerTo(key, undefined), answerTo(key, "block")];
    return [
      `\`${name}\``,
      FAILURE_CLASSES[key].meaning,
      rule.askAnother ? "yes" : "no",
      rule.countsAgainstHealth ? "yes" : "no",
      call === lookup ? `${call}` : `${call}; of a look-up ${lookup}`,
      String(FAILURE_ROWS.filter((row) => row.class === name).length),
    ];
  });
  return [
    INTRODUCTION,
    "## What a client can be given",
    "",
    "The name is the `outcome` of `tollgate_calls_total` and the `reason` of `tollgate_refusals_total`.",
    "",
    table(["name", "code", "event", "HTTP status", "charged", "retry", "text", "meaning"], errors),
    "",
    "## What upstreams say",
    "",
    "Nodes say the same thing in many ways. Each way is a row of `src/failures/failure-rows.ts`, which names",
    "its vendor and maps it to one of these classes. A revert is known by its structure, before any words are",
    "looked at, because a contract chooses the words of its revert. The class decides whether another node is",
    "asked, and what the client gets in the end. It is the `outcome` of `tollgate_upstream_calls_total`, beside",
    "`ok`, `timeout`, `unreachable`, `too_large` and `abandoned` (another upstream was faster).",
    "",
    table(
      ["class", "meaning", "another is asked", "the node's fault", "the client gets", "rows"],
      classes,
    ),
    "",
    "A node's text that holds a URL, an address or a page of HTML is replaced by `upstream error`, and goes to",
    "the log; the reason of a revert never is.",
    "",
  ].join("\n");
}

/** What a client gets of the class, as the name of an error or `null`. */
function answerTo(name: FailureClass, lookup: Definition["lookup"]): string {
  const failure: Failure = {
    class: name,
    reason: null,
    payload: "0x",
    code: undefined,
    message: "",
    data: undefined,
    answer: undefined,
  };
  const error = toClientError(failure, { method: "", lookup });
  return error === null ? "`null`" : `\`${error.name}\``;
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) {
  writeFileSync(new URL("../docs/errors.md", import.meta.url), errorsDocument());
}
