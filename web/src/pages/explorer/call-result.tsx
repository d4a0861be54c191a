import { useMemo, useState } from "preact/hooks";
import { formatBytes, formatMs, formatNumber } from "../../format.ts";
import { Code, Copy } from "../../ui/copy.tsx";
import { Badge, Card, Stat, Stats } from "../../ui/display.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { type CallError, errorOf, explain, servedBy } from "./explain-error.ts";
import type { MadeCall } from "./history.ts";
import { JsonTree } from "./json-tree.tsx";
import { parseLossless, prettyJson } from "./lossless-json.ts";

/** Characters of an answer that are laid out as text; all of it is copied. */
const MOST_TEXT = 100_000;

/** What a call brought: the answer, what it cost, and which block and node it came from. */
export function CallResult({ call: { reply, method, network } }: { readonly call: MadeCall }) {
  const parsed = useMemo(() => read(reply.answer), [reply.answer]);
  const error = errorOf(parsed);
  const isOk = error === undefined && reply.status === 200;
  const outcome = isOk ? "ok" : (explain(reply.status, error)?.name ?? "failed");
  return (
    <Card title="Answer" hint={`${method} on ${network}`}>
      <div class="stack">
        <Stats>
          <Stat
            label="Outcome"
            value={<Badge tone={isOk ? "ok" : "danger"}>{outcome}</Badge>}
            note={`HTTP status ${reply.status}`}
          />
          <Stat label="Credits" value={formatNumber(reply.credits)} note="charged" />
          <Stat label="Time" value={formatMs(reply.ms)} note="measured by the dashboard" />
          <Stat
            label="Block"
            value={reply.block ?? "–"}
            note={
              reply.block === null ? "the params name no block tag" : "the call was answered for"
            }
          />
          <Stat label="Served by" {...servedBy(reply)} />
        </Stats>
        {!isOk && <Failure status={reply.status} error={error} />}
        {reply.cut && (
          <Notice tone="warn" title="This is the beginning of a larger answer">
            The first {formatBytes(reply.answer.length)} are shown. Call the gateway yourself for
            all of it, or ask for less.
          </Notice>
        )}
        <Answer text={reply.answer} parsed={parsed} />
        <details class="details">
          <summary>Request as it was sent</summary>
          <Code label="Request" text={prettyJson(reply.request)} wrap />
        </details>
      </div>
    </Card>
  );
}

function read(text: string): unknown {
  try {
    return parseLossless(text);
  } catch {
    return undefined;
  }
}

function Failure(props: { readonly status: number; readonly error: CallError | undefined }) {
  const { status, error } = props;
  const found = explain(status, error);
  return (
    <Notice
      tone="danger"
      title={
        error === undefined ? `HTTP status ${status}` : `${error.message} (code ${error.code})`
      }
    >
      {error?.details !== undefined && <p>{error.details}</p>}
      {found !== undefined && (
        <p>
          {found.meaning} {found.advice}
        </p>
      )}
    </Notice>
  );
}

function Answer({ text, parsed }: { readonly text: string; readonly parsed: unknown }) {
  const [form, setForm] = useState("tree");
  const isText = form === "text" || parsed === undefined;
  const pretty = useMemo(() => (isText ? prettyJson(text) : ""), [isText, text]);
  return (
    <div class="answer">
      <div class="answer-head">
        {parsed !== undefined && (
          <Segments
            label="Show the answer as"
            choices={[
              { value: "tree", label: "Tree" },
              { value: "text", label: "Text" },
            ]}
            value={form}
            onChange={setForm}
          />
        )}
        <span class="small answer-size">{formatBytes(text.length)}</span>
        <Copy text={text} label="Copy the answer" />
      </div>
      {isText ? (
        <>
          <Code label="Answer" text={pretty.slice(0, MOST_TEXT)} copy={false} wrap />
          {pretty.length > MOST_TEXT && (
            <p class="small">
              The first {formatNumber(MOST_TEXT)} characters of {formatNumber(pretty.length)}. Copy
              takes all of it.
            </p>
          )}
        </>
      ) : (
        <div class="json-box">
          <JsonTree value={parsed} />
        </div>
      )}
    </div>
  );
}
