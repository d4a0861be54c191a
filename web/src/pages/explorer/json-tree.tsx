import { useState } from "preact/hooks";
import { formatNumber } from "../../format.ts";
import { ExactNumber } from "./lossless-json.ts";

/** So many entries of a list are shown at first, and more each time they are asked for. */
const SHOWN = 100;
/** Small values are open as far down as this. */
const OPEN_DEPTH = 2;
const OPEN_SIZE = 30;

type NodeProps = {
  readonly name?: string;
  readonly value: unknown;
  readonly depth?: number;
};

/** A JSON value that can be folded; what is folded is not made. */
export function JsonTree({ name, value, depth = 0 }: NodeProps) {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
    return (
      <span class="json-line">
        <Name name={name} />
        <Leaf value={value} />
      </span>
    );
  }
  return <Branch name={name} value={value} depth={depth} />;
}

type BranchProps = {
  readonly name: string | undefined;
  readonly value: object;
  readonly depth: number;
};

function Branch({ name, value, depth }: BranchProps) {
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [isOpen, setIsOpen] = useState(
    depth === 0 || (depth <= OPEN_DEPTH && entries.length <= OPEN_SIZE),
  );
  const [shown, setShown] = useState(SHOWN);
  const count = formatNumber(entries.length);
  if (entries.length === 0) {
    return (
      <span class="json-line">
        <Name name={name} />
        {isList ? "[]" : "{}"}
      </span>
    );
  }
  return (
    <details class="json" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span class="json-size">{isList ? `[${count}]` : `{${count}}`}</span>
      </summary>
      {isOpen && (
        <ul>
          {entries.slice(0, shown).map(([key, item]) => (
            <li key={key}>
              <JsonTree name={key} value={item} depth={depth + 1} />
            </li>
          ))}
          {entries.length > shown && (
            <li>
              <button type="button" class="json-more" onClick={() => setShown(shown + SHOWN)}>
                Show more ({formatNumber(entries.length - shown)} left)
              </button>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}

function Name({ name }: { readonly name: string | undefined }) {
  return name === undefined ? null : <span class="json-name">{name}: </span>;
}

function Leaf({ value }: { readonly value: unknown }) {
  if (value instanceof ExactNumber) return <span class="json-number">{value.text}</span>;
  if (typeof value === "string") return <span class="json-text">{JSON.stringify(value)}</span>;
  return <span class="json-number">{String(value)}</span>;
}
