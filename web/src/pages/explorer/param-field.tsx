import { useId } from "preact/hooks";
import type { MethodParam } from "../../../../src/console/contract/session.ts";
import { capitalised } from "../../format.ts";
import { Field, FieldFrame, Select, TextArea } from "../../ui/field.tsx";
import { MemberFields } from "./member-fields.tsx";
import { kindOf } from "./param-texts.ts";

const TAGS = ["latest", "safe", "finalized", "earliest", "pending"];

type ParamFieldProps = {
  readonly param: MethodParam;
  readonly index: number;
  readonly text: string;
  readonly fault: string | undefined;
  readonly onInput: (text: string) => void;
};

/** The control for one parameter, with what would be right below it. */
export function ParamField({ param, index, text, fault, onInput }: ParamFieldProps) {
  const kind = kindOf(param);
  const frame = {
    name: `param-${index}`,
    label: capitalised(param.name),
    hint: hintOf(param),
    fault,
    optional: !param.required,
  };
  const placeholder = placeholderOf(param);
  if (kind === "boolean") {
    const none = param.required ? [] : [{ value: "", label: "left out" }];
    const choices = [...none, { value: "true", label: "true" }, { value: "false", label: "false" }];
    return <Select {...frame} choices={choices} value={text} onChange={onInput} />;
  }
  if (kind === "json") {
    const rows = Math.min(12, Math.max(param.required ? 4 : 2, text.split("\n").length));
    const asJson = <TextArea {...frame} mono {...{ rows, placeholder, onInput, value: text }} />;
    if (param.members.length === 0) return asJson;
    return <MemberFields {...{ param, text, fault, onInput, asJson, label: frame.label }} />;
  }
  if (kind === "block") return <BlockField {...{ frame, placeholder, text, onInput }} />;
  return <Field {...frame} mono {...{ placeholder, onInput, value: text }} autoComplete="off" />;
}

type BlockFieldProps = Pick<ParamFieldProps, "text" | "onInput"> & {
  readonly frame: Parameters<typeof Field>[0];
  readonly placeholder: string;
};

/** Any block; the tags are offered. */
function BlockField({ frame, placeholder, text, onInput }: BlockFieldProps) {
  const list = useId();
  return (
    <FieldFrame {...frame}>
      {(control) => (
        <>
          <input
            {...control}
            class="input mono"
            list={list}
            autocomplete="off"
            spellcheck={false}
            placeholder={placeholder}
            value={text}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
          <datalist id={list}>
            {TAGS.map((tag) => (
              <option key={tag} value={tag} />
            ))}
          </datalist>
        </>
      )}
    </FieldFrame>
  );
}

function hintOf(param: MethodParam): string {
  const want = capitalised(param.want);
  const kind = kindOf(param);
  const decimal =
    kind === "block" || kind === "quantity" ? " Decimal numbers are sent as hex." : "";
  return `${want}.${decimal}`;
}

/** What is sent where nothing is entered, else an example. */
function placeholderOf({ role, want, fallback, required }: MethodParam): string {
  if (!required && fallback !== null && fallback !== undefined) {
    return `${typeof fallback === "string" ? fallback : JSON.stringify(fallback)} (when left empty)`;
  }
  if (role === "call") return '{"to": "0x…", "data": "0x…"}';
  if (role === "filter") return '{"fromBlock": "latest", "toBlock": "latest"}';
  if (role === "config") return '{"commitment": "confirmed"}';
  if (want.includes("base58")) return "";
  return /0x/.test(want) ? "0x…" : "";
}
