import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Method } from "../../../../src/console/contract/session.ts";
import { formatNumber } from "../../format.ts";
import { type ControlProps, FieldFrame } from "../../ui/field.tsx";

type PickerProps = {
  readonly methods: readonly Method[];
  readonly value: string;
  readonly onChange: (method: string) => void;
};

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** One method of many: found by any part of its name, chosen by arrows and Enter or by a click. */
export function MethodPicker(props: PickerProps) {
  const { methods, value } = props;
  const credits = methods.find(({ method }) => method === value)?.credits ?? 0;
  return (
    <FieldFrame
      name="method"
      label="Method"
      hint={
        <>
          {formatNumber(credits)} credits a call.{" "}
          <a href={`/docs/methods/${value}`} target="_blank" rel="noreferrer">
            Its reference
          </a>
        </>
      }
    >
      {(control) => <Combobox {...props} control={control} />}
    </FieldFrame>
  );
}

function Combobox({
  methods,
  value,
  onChange,
  control,
}: PickerProps & { readonly control: ControlProps }) {
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const [active, setActive] = useState(0);
  const isOpen = typed !== undefined;
  const matches = matching(methods, typed === value ? "" : (typed ?? ""));
  const at = Math.min(active, matches.length - 1);
  const open = () => {
    setTyped(value);
    setActive(
      Math.max(
        0,
        methods.findIndex(({ method }) => method === value),
      ),
    );
  };
  const choose = (method: string | undefined) => {
    setTyped(undefined);
    if (method !== undefined && method !== value) onChange(method);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const step = STEPS[event.key];
    if (step === undefined && !(isOpen && event.key === "Enter")) {
      if (event.key === "Escape") choose(undefined);
      return;
    }
    event.preventDefault();
    if (!isOpen) open();
    else if (step === undefined) choose(matches[at]?.method);
    else setActive(Math.max(0, Math.min(at + step, matches.length - 1)));
  };
  return (
    <div class="picker">
      <input
        {...control}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={id}
        aria-activedescendant={isOpen && matches.length > 0 ? `${id}-${at}` : undefined}
        class="input mono"
        autocomplete="off"
        spellcheck={false}
        value={typed ?? value}
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => isOpen || open()}
        onBlur={() => choose(undefined)}
        onKeyDown={onKeyDown}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
        }}
      />
      <MethodList {...{ id, at, isOpen, onChoose: choose }} methods={isOpen ? matches : []} />
      {isOpen && matches.length === 0 && (
        <p class="picker-none">No method of this network has “{typed}” in its name.</p>
      )}
    </div>
  );
}

type ListProps = {
  readonly id: string;
  readonly isOpen: boolean;
  readonly methods: readonly Method[];
  /** The one that Enter takes. */
  readonly at: number;
  readonly onChoose: (method: string) => void;
};

function MethodList({ id, isOpen, methods, at, onChoose }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at, isOpen]);
  return (
    <div
      ref={list}
      role="listbox"
      id={id}
      aria-label="Methods"
      class="picker-list"
      hidden={!isOpen}
    >
      {methods.map(({ method, credits }, index) => (
        <button
          key={method}
          type="button"
          role="option"
          tabIndex={-1}
          id={`${id}-${index}`}
          aria-selected={index === at}
          // The input keeps the focus, or it would close the list before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(method)}
        >
          <code>{method}</code>
          <span>{formatNumber(credits)}</span>
        </button>
      ))}
    </div>
  );
}

function matching(methods: readonly Method[], text: string): readonly Method[] {
  const wanted = text.trim().toLowerCase();
  return methods.filter(({ method }) => method.toLowerCase().includes(wanted));
}
