import { type ComponentChildren, createContext, type TargetedSubmitEvent } from "preact";
import { useContext, useRef, useState } from "preact/hooks";
import { ApiError } from "../api.ts";
import { asApiError } from "../load.ts";
import { Button, type ButtonProps } from "./button.tsx";
import { Notice } from "./notice.tsx";

/** The faults of a form's fields, by the fields' names. */
const FieldFaults = createContext<Readonly<Record<string, string>>>({});

/** The fault that the form found, or the server named, for the field. */
export function useFieldFault(name: string): string | undefined {
  return useContext(FieldFaults)[name];
}

export type FormProps = {
  readonly children?: ComponentChildren;
  /** The text of the button that sends. */
  readonly submit: string;
  readonly kind?: ButtonProps["kind"];
  /** Sends; an ApiError with a `field` is shown at that field, any other above the button. */
  readonly onSubmit: (values: FormValues) => Promise<void> | void;
  /** Beside the button that sends. */
  readonly actions?: ComponentChildren;
  /** Fields and button in one line where there is room. */
  readonly inline?: boolean;
  /** The form's name for screen readers, where no heading says it. */
  readonly label?: string;
};

/** A form's values by the fields' names. */
export type FormValues = {
  /** A field's text without spaces around it. */
  readonly text: (name: string) => string;
  /** A field's text as it was typed (passwords). */
  readonly exact: (name: string) => string;
  readonly checked: (name: string) => boolean;
  readonly all: (name: string) => readonly string[];
};

/** A fault that a page finds itself, shown at the field. */
export function fieldError(field: string, message: string): ApiError {
  return new ApiError({ status: 400, code: "bad_request", message, field });
}

type Faults = { readonly fields: Readonly<Record<string, string>>; readonly whole?: string };

export function Form({
  children,
  submit,
  kind = "primary",
  onSubmit,
  actions,
  inline = false,
  label,
}: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [faults, setFaults] = useState<Faults>({ fields: {} });
  const [busy, setBusy] = useState(false);

  const fail = (found: Faults) => {
    setFaults(found);
    // After the faults are rendered, so that their text is read out with the field.
    setTimeout(() => {
      const field = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
      field?.closest("details")?.setAttribute("open", "");
      field?.focus();
    }, 0);
  };
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const wrong = findFaults(event.currentTarget);
    if (Object.keys(wrong).length > 0) return fail({ fields: wrong });
    setFaults({ fields: {} });
    setBusy(true);
    try {
      await onSubmit(readValues(event.currentTarget));
    } catch (thrown) {
      if (form.current !== null) fail(placeFault(asApiError(thrown), form.current));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      ref={form}
      class={inline ? "form form-inline" : "form"}
      noValidate
      aria-label={label}
      onSubmit={(event) => void send(event)}
    >
      <FieldFaults.Provider value={faults.fields}>{children}</FieldFaults.Provider>
      {faults.whole !== undefined && <Notice tone="danger">{faults.whole}</Notice>}
      <div class="form-actions">
        <Button type="submit" kind={kind} busy={busy}>
          {submit}
        </Button>
        {actions}
      </div>
    </form>
  );
}

/** What the browser itself finds wrong (required, type, min, max), in its words. */
function findFaults(form: HTMLFormElement): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const element of form.elements) {
    const field = element as HTMLInputElement;
    if (field.name && field.willValidate && !field.checkValidity()) {
      faults[field.name] ??= field.dataset["wrong"] ?? field.validationMessage;
    }
  }
  return faults;
}

/** At the field that the error names where the form has it, else for the whole form. */
function placeFault(error: ApiError, form: HTMLFormElement): Faults {
  const path = error.field?.replace(/^(body|query)\./, "") ?? "";
  for (const name of [path, path.split(".")[0] ?? "", path.split(".").at(-1) ?? ""]) {
    if (name !== "" && form.elements.namedItem(name) !== null) {
      return { fields: { [name]: error.message } };
    }
  }
  return { fields: {}, whole: error.message };
}

function readValues(form: HTMLFormElement): FormValues {
  const data = new FormData(form);
  const exact = (name: string) => {
    const value = data.get(name);
    return typeof value === "string" ? value : "";
  };
  return {
    exact,
    text: (name) => exact(name).trim(),
    checked: (name) => data.has(name),
    all: (name) => data.getAll(name).filter((value) => typeof value === "string"),
  };
}
