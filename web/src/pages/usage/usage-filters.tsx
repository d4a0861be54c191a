import { useRef } from "preact/hooks";
import { RANGES } from "../../../../src/console/contract/constants.ts";
import type { KeyView } from "../../../../src/console/contract/keys.ts";
import type { Networks } from "../../../../src/console/contract/session.ts";
import type { UsageRow } from "../../../../src/console/contract/usage.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { SpanFields } from "./span-fields.tsx";
import { CUSTOM } from "./usage-choices.ts";
import type { FilterName, UsageQuery } from "./use-usage.ts";

type FiltersProps = {
  readonly query: UsageQuery;
  readonly keys: readonly KeyView[];
  readonly networks: Networks["networks"];
  /** Of the table: what was called. */
  readonly rows: readonly UsageRow[];
};

/** What the chart and the table are of. */
export function UsageFilters({ query, keys, networks, rows }: FiltersProps) {
  const { span } = query;
  const methods = useSeen(rows.map(({ method }) => method));
  const outcomes = useSeen(rows.flatMap((row) => Object.keys(row.outcomes)));
  const select = (name: FilterName, label: string, choices: readonly Named[]) => (
    <FilterSelect {...{ query, name, label, choices }} />
  );
  return (
    <div class="usage-filters">
      <Segments
        label="Time range"
        choices={[
          ...RANGES.map((value) => ({ value, label: value })),
          { value: CUSTOM, label: "Custom" },
        ]}
        value={"range" in span ? span.range : CUSTOM}
        onChange={query.setRange}
      />
      {"from" in span && <SpanFields query={query} span={span} />}
      {select("network", "Network", networks.map(named))}
      {select("key", "Key", keys)}
      {select("method", "Method", methods)}
      {select("outcome", "Outcome", outcomes)}
      {query.isFiltered && (
        <Button kind="quiet" icon="close" onClick={query.clear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

type Named = { readonly id: string; readonly name: string };

const named = ({ name }: { readonly name: string }): Named => ({ id: name, name });

type FilterSelectProps = {
  readonly query: UsageQuery;
  readonly name: FilterName;
  readonly label: string;
  readonly choices: readonly Named[];
};

function FilterSelect({ query, name, label, choices }: FilterSelectProps) {
  const chosen = query.filters[name];
  const isListed = chosen === "" || choices.some(({ id }) => id === chosen);
  // A filter of the address that is not in the list (any more) is shown rather than hidden.
  const listed = isListed ? choices : [...choices, { id: chosen, name: chosen }];
  return (
    <Select
      name={name}
      label={label}
      choices={[
        { value: "", label: `All ${label.toLowerCase()}s` },
        ...listed.map((one) => ({ value: one.id, label: one.name })),
      ]}
      value={chosen}
      onChange={(value) => query.setFilter(name, value)}
    />
  );
}

/** Names that were there since the page was opened: with a filter the table has but one of them. */
function useSeen(names: readonly string[]): readonly Named[] {
  const seen = useRef(new Set<string>());
  for (const name of names) seen.current.add(name);
  return [...seen.current].sort().map((name) => ({ id: name, name }));
}
