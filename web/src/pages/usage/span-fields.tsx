import { useState } from "preact/hooks";
import { zoneName } from "../../time.ts";
import { Field } from "../../ui/field.tsx";
import type { UsageQuery } from "./use-usage.ts";
import { wallText, wallTime } from "./wall-time.ts";

type SpanFieldsProps = {
  readonly query: UsageQuery;
  readonly span: { readonly from: string; readonly to: string };
};

/** The two times of a span of one's own, in the chart's zone: both are chosen before they count. */
export function SpanFields({ query, span }: SpanFieldsProps) {
  const { zone, setSpan } = query;
  const [from, to] = [Date.parse(span.from), Date.parse(span.to)];
  const [draft, setDraft] = useState<Draft>({ from, to });
  const isWrong = draft.from >= draft.to;
  const change = (next: Partial<Draft>) => {
    const chosen = { ...draft, ...next };
    setDraft(chosen);
    if (chosen.from < chosen.to) setSpan(chosen);
  };
  const field = (name: keyof Draft, label: string) => (
    <Field
      {...{ name, label: `${label} (${zoneName(zone, draft[name])})`, type: "datetime-local" }}
      value={wallText(draft[name], zone)}
      fault={isWrong && name === "from" ? "The start must be before the end." : undefined}
      onInput={(text) => {
        const at = wallTime(text, zone);
        if (at !== undefined) change({ [name]: at });
      }}
    />
  );
  return (
    <>
      {field("from", "From")}
      {field("to", "To")}
    </>
  );
}

/** Unix milliseconds. */
type Draft = { readonly from: number; readonly to: number };
