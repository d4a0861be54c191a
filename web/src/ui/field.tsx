import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useFieldFault } from "./form.tsx";
import { Icon } from "./icon.tsx";

export type FrameProps = {
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** A fault beside those of the form (one that is found as one types). */
  readonly fault?: string | undefined;
  /** Said after the label: that the field may be left empty. */
  readonly optional?: boolean;
  /** The label is only for screen readers. */
  readonly unlabelled?: boolean;
};

/** The attributes that tie a control to its label, hint and fault. */
export type ControlProps = {
  readonly id: string;
  readonly name: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
};

/** Label, hint and fault around any control: `{(control) => <input {...control} />}`. */
export function FieldFrame({
  name,
  label,
  hint,
  fault: own,
  optional = false,
  unlabelled = false,
  children,
}: FrameProps & { readonly children: (control: ControlProps) => ComponentChildren }) {
  const id = useId();
  const found = useFieldFault(name);
  const fault = own ?? found;
  const described = [hint ? `${id}-hint` : "", fault ? `${id}-fault` : ""].filter(Boolean);
  return (
    <div class="field">
      <label for={id} class={unlabelled ? "unseen" : "field-label"}>
        {label}
        {optional && <span class="field-optional"> (optional)</span>}
      </label>
      {children({
        id,
        name,
        "aria-describedby": described.length > 0 ? described.join(" ") : undefined,
        "aria-invalid": fault ? true : undefined,
      })}
      {fault && (
        <p class="field-fault" id={`${id}-fault`}>
          <Icon name="alert" />
          {fault}
        </p>
      )}
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

export type FieldProps = FrameProps & {
  readonly type?:
    | "text"
    | "email"
    | "password"
    | "number"
    | "date"
    | "search"
    | "url"
    | "datetime-local";
  readonly value?: string | number;
  /** The value at first; with `value` the page follows each key. */
  readonly initial?: string | number | undefined;
  readonly onInput?: (value: string) => void;
  readonly required?: boolean;
  readonly autoComplete?: string;
  readonly inputMode?: "numeric" | "text" | "email" | "url";
  readonly placeholder?: string;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** What to say in place of the browser's own text about a wrong value. */
  readonly wrong?: string;
  readonly readOnly?: boolean;
  readonly mono?: boolean;
};

/** One line of text. */
export function Field({
  type = "text",
  value,
  initial,
  onInput,
  wrong,
  mono,
  ...props
}: FieldProps) {
  const { name, label, hint, fault, optional, unlabelled, ...input } = props;
  return (
    <FieldFrame {...frameOf(props)}>
      {(control) => (
        <input
          {...input}
          {...control}
          // Preact types each kind of input apart; none of these props is of one kind alone.
          type={type as "text"}
          class={mono ? "input mono" : "input"}
          data-wrong={wrong}
          {...(value === undefined ? { defaultValue: initial } : { value })}
          onInput={onInput && ((event) => onInput(event.currentTarget.value))}
          spellcheck={mono || type !== "text" ? false : undefined}
        />
      )}
    </FieldFrame>
  );
}

/** What of a control's props belongs to its frame; absent ones stay absent. */
function frameOf(props: FrameProps): FrameProps {
  const { name, label, hint, fault, optional, unlabelled } = props;
  return {
    name,
    label,
    fault,
    ...(hint === undefined ? {} : { hint }),
    ...(optional === undefined ? {} : { optional }),
    ...(unlabelled === undefined ? {} : { unlabelled }),
  };
}

export type TextAreaProps = FrameProps & {
  readonly value?: string;
  readonly initial?: string;
  readonly onInput?: (value: string) => void;
  readonly rows?: number;
  readonly required?: boolean;
  readonly mono?: boolean;
  readonly placeholder?: string;
};

/** Several lines of text. */
export function TextArea({ value, initial, onInput, mono, rows = 4, ...props }: TextAreaProps) {
  return (
    <FieldFrame {...frameOf(props)}>
      {(control) => (
        <textarea
          {...control}
          rows={rows}
          class={mono ? "input mono" : "input"}
          required={props.required}
          placeholder={props.placeholder}
          spellcheck={mono ? false : undefined}
          {...(value === undefined ? { defaultValue: initial } : { value })}
          onInput={onInput && ((event) => onInput(event.currentTarget.value))}
        />
      )}
    </FieldFrame>
  );
}

export type Choice = { readonly value: string; readonly label: string; readonly group?: string };

export type SelectProps = FrameProps & {
  readonly choices: readonly Choice[];
  readonly value?: string;
  readonly initial?: string;
  readonly onChange?: (value: string) => void;
};

/** One of several; choices with a `group` stand under its name. */
export function Select({ choices, value, initial, onChange, ...props }: SelectProps) {
  const groups = Map.groupBy(choices, (choice) => choice.group ?? "");
  const options = (list: readonly Choice[]) =>
    list.map((choice) => (
      <option
        key={choice.value}
        value={choice.value}
        selected={choice.value === (value ?? initial)}
      >
        {choice.label}
      </option>
    ));
  return (
    <FieldFrame {...frameOf(props)}>
      {(control) => (
        <select
          {...control}
          class="input select"
          onChange={onChange && ((event) => onChange(event.currentTarget.value))}
        >
          {[...groups].map(([group, list]) =>
            group === "" ? (
              options(list)
            ) : (
              <optgroup key={group} label={group}>
                {options(list)}
              </optgroup>
            ),
          )}
        </select>
      )}
    </FieldFrame>
  );
}

export type SwitchProps = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string;
  readonly checked?: boolean;
  /** Whether it is on at first; with `checked` the page follows it. */
  readonly initial?: boolean;
  readonly disabled?: boolean;
  readonly onChange?: (checked: boolean) => void;
};

/** On or off; in a form, each one that is on gives its `value` under its name. */
export function Switch({ label, hint, initial, checked, onChange, ...props }: SwitchProps) {
  const id = useId();
  return (
    <div class="switch">
      <input
        {...props}
        id={id}
        type="checkbox"
        class="switch-box"
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...(checked === undefined ? { defaultChecked: initial } : { checked })}
        onChange={onChange && ((event) => onChange(event.currentTarget.checked))}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
