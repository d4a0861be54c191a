import type { TargetedKeyboardEvent } from "preact";
import { useId, useState } from "preact/hooks";
import type { AllowListsView } from "../../../../src/console/contract/common.ts";
import type { Networks } from "../../../../src/console/contract/session.ts";
import { announce } from "../../announce.tsx";
import { useGet } from "../../load.ts";
import { Button } from "../../ui/button.tsx";
import { FieldFrame, Select } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { type AllowKind, KINDS, listKinds } from "./allow-kinds.ts";
import { useEntryCheck } from "./entry-check.ts";

/** The name of the field in which an entry is typed. */
export const ENTRY_FIELD = "entry";

type Props = {
  readonly allow: AllowListsView;
  readonly onChange: (allow: AllowListsView) => void;
};

/** Lists of what a key may be used for; each entry is checked by the gateway as it is typed. */
export function AllowEditor({ allow, onChange }: Props) {
  const [kind, setKind] = useState<AllowKind>("network");
  const [text, setText] = useState("");
  const check = useEntryCheck(kind, text);
  const chosen = KINDS.find((one) => one.kind === kind);
  const present = allow[kind] ?? [];
  const known = check.entry !== undefined && present.includes(check.entry);
  const add = () => {
    if (check.entry === undefined || known) return;
    onChange({ ...allow, [kind]: [...present, check.entry] });
    announce(`${check.entry} is added`);
    setText("");
  };
  const addOnEnter = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (event.key !== "Enter" || text === "") return;
    // Enter in a form sends it; here it adds what was typed.
    event.preventDefault();
    add();
  };
  return (
    <div class="stack">
      <AllowLists allow={allow} onChange={onChange} />
      <div class="allow-add">
        <Select
          name="kind"
          label="Restrict"
          choices={KINDS.map(({ kind: value, label }) => ({ value, label }))}
          value={kind}
          onChange={(value) => setKind(KINDS.find((one) => one.kind === value)?.kind ?? kind)}
        />
        <FieldFrame
          name={ENTRY_FIELD}
          label="Allowed"
          hint={check.fault === undefined && (entryNote(check.entry, text, known) ?? chosen?.hint)}
          {...(check.fault === undefined ? {} : { fault: check.fault })}
        >
          {(control) => (
            <EntryInput
              control={control}
              kind={kind}
              text={text}
              example={chosen?.example ?? ""}
              onInput={setText}
              onKeyDown={addOnEnter}
            />
          )}
        </FieldFrame>
        <div class="allow-button">
          <Button icon="plus" disabled={check.entry === undefined || known} onClick={add}>
            Add
          </Button>
        </div>
      </div>
    </div>
  );
}

/** How the entry would be kept, where that is not as it was typed. */
function entryNote(entry: string | undefined, text: string, known: boolean): string | undefined {
  if (known) return "This is already in the list.";
  if (entry === undefined || entry === text.trim()) return undefined;
  return `It is saved as ${entry}`;
}

type InputProps = {
  readonly control: { readonly id: string; readonly name: string };
  readonly kind: AllowKind;
  readonly text: string;
  readonly example: string;
  readonly onInput: (text: string) => void;
  readonly onKeyDown: (event: TargetedKeyboardEvent<HTMLInputElement>) => void;
};

function EntryInput({ control, kind, text, example, onInput, onKeyDown }: InputProps) {
  const list = useId();
  const { data } = useGet<Networks>("/networks");
  const offered =
    kind === "network"
      ? (data?.networks.map(({ name }) => name) ?? [])
      : kind === "method"
        ? [...new Set(data?.networks.flatMap(({ methods }) => methods.map(({ method }) => method)))]
        : [];
  return (
    <>
      <input
        {...control}
        class="input mono"
        value={text}
        placeholder={example}
        list={offered.length > 0 ? list : undefined}
        spellcheck={false}
        autoComplete="off"
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <datalist id={list}>
        {offered.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  );
}

function AllowLists({ allow, onChange }: Props) {
  const lists = listKinds(allow);
  if (lists.length === 0) {
    return <p class="muted">Nothing is restricted: the key can be used for everything.</p>;
  }
  const remove = (kind: AllowKind, entry: string) => {
    onChange({ ...allow, [kind]: (allow[kind] ?? []).filter((one) => one !== entry) });
    announce(`${entry} is removed`);
  };
  return (
    <dl class="facts">
      {lists.map(({ kind, label, entries }) => (
        <div key={kind} class="facts-row">
          <dt>{label}</dt>
          <dd>
            <ul class="tags">
              {entries.map((entry) => (
                <li key={entry} class="tag">
                  <span class="mono">{entry}</span>
                  <button
                    type="button"
                    class="tag-remove"
                    aria-label={`Remove ${entry}`}
                    onClick={() => remove(kind, entry)}
                  >
                    <Icon name="close" />
                  </button>
                </li>
              ))}
            </ul>
          </dd>
        </div>
      ))}
    </dl>
  );
}
