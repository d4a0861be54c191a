import { useState } from "preact/hooks";
import type {
  AllowListsView,
  LimitChanges,
  LimitsView,
} from "../../../../src/console/contract/common.ts";
import { KEY_NAME_MAX_LENGTH } from "../../../../src/console/contract/constants.ts";
import { tomorrow } from "../../time.ts";
import { Field } from "../../ui/field.tsx";
import { type FormValues, fieldError } from "../../ui/form.tsx";
import { AllowEditor, ENTRY_FIELD } from "./allow-editor.tsx";

/** The name of a key. */
export function NameField({ initial }: { readonly initial?: string }) {
  return (
    <Field
      name="name"
      label="Name"
      hint="The program or person that uses it, such as “indexer” or “web shop”."
      initial={initial}
      maxLength={KEY_NAME_MAX_LENGTH}
      required
    />
  );
}

/** The day on which a key or token ends. */
export function EndField() {
  return (
    <Field
      name="expires"
      label="Expires on"
      optional
      type="date"
      min={tomorrow()}
      hint="At 00:00 UTC on that day. Leave empty for never."
    />
  );
}

export function LimitFields({ initial }: { readonly initial?: LimitsView }) {
  return (
    <div class="fields">
      <Field
        name="creditsPerDay"
        label="Credits per day"
        optional
        type="number"
        min={1}
        inputMode="numeric"
        hint="Per UTC day. Leave empty to use only the account's limit."
        initial={initial?.creditsPerDay ?? undefined}
      />
      <Field
        name="creditsPerSecond"
        label="Credits per second"
        optional
        type="number"
        min={1}
        inputMode="numeric"
        hint="Leave empty to use only the account's limit."
        initial={initial?.creditsPerSecond ?? undefined}
      />
    </div>
  );
}

/** The limits as the form has them; an empty field takes a limit away. */
export function readLimits(values: FormValues): LimitChanges {
  const read = (name: string) => (values.text(name) === "" ? null : Number(values.text(name)));
  return { creditsPerDay: read("creditsPerDay"), creditsPerSecond: read("creditsPerSecond") };
}

/** The lists, and the part of a form that edits them. */
export function useAllowEditor(initial: AllowListsView = {}) {
  const [allow, setAllow] = useState(initial);
  return {
    allow,
    editor: <AllowEditor allow={allow} onChange={setAllow} />,
    /** @throws ApiError where something was typed and not added */
    check: (values: FormValues) => {
      if (values.text(ENTRY_FIELD) === "") return;
      throw fieldError(ENTRY_FIELD, "Add this entry to the list, or clear the field.");
    },
  };
}
