import { RANGES } from "../../../../src/console/contract/constants.ts";
import type { KeyView } from "../../../../src/console/contract/keys.ts";
import type { Networks } from "../../../../src/console/contract/session.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Segments } from "../../ui/tabs.tsx";
import type { UsageQuery } from "./use-usage.ts";

type FiltersProps = {
  readonly query: UsageQuery;
  readonly keys: readonly KeyView[];
  readonly networks: Networks["networks"];
};

/** What the chart and the table are of. */
export function UsageFilters({ query, keys, networks }: FiltersProps) {
  return (
    <div class="usage-filters">
      <Segments
        label="How far back"
        choices={RANGES.map((value) => ({ value, label: value }))}
        value={query.range}
        onChange={query.setRange}
      />
      <Select
        name="network"
        label="Network"
        choices={[
          { value: "", label: "All networks" },
          ...withChosen(
            networks.map(({ name }) => ({ value: name, label: name })),
            query.network,
          ),
        ]}
        value={query.network}
        onChange={query.setNetwork}
      />
      <Select
        name="key"
        label="Key"
        choices={[
          { value: "", label: "All keys" },
          ...withChosen(
            keys.map(({ id, name }) => ({ value: id, label: name })),
            query.key,
          ),
        ]}
        value={query.key}
        onChange={query.setKey}
      />
      {query.isFiltered && (
        <Button kind="quiet" icon="close" onClick={query.clear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** A filter of the address that is not in the list (any more) is shown rather than hidden. */
function withChosen(choices: { value: string; label: string }[], chosen: string) {
  if (chosen === "" || choices.some(({ value }) => value === chosen)) return choices;
  return [...choices, { value: chosen, label: chosen }];
}
