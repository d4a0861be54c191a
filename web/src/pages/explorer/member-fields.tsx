import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { MethodParam, ParamMember } from "../../../../src/console/contract/session.ts";
import { capitalised } from "../../format.ts";
import { Field, Select, TextArea } from "../../ui/field.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { labelOf, type MemberTexts, readMembers, writeMembers } from "./member-texts.ts";
import { kindOf } from "./param-texts.ts";

type Props = {
  readonly param: MethodParam;
  /** As a heading. */
  readonly label: string;
  readonly text: string;
  /** Of the parameter as a whole. */
  readonly fault: string | undefined;
  readonly onInput: (text: string) => void;
  /** The parameter as JSON. */
  readonly asJson: ComponentChildren;
};

/** An object, entered member by member, or as JSON where it has others. */
export function MemberFields({ param, label, text, fault, onInput, asJson }: Props) {
  const [isJson, setIsJson] = useState(false);
  // What was typed, while it says what the parameter says: "1" must not become "0x1" before the "2".
  const [typed, setTyped] = useState<{ readonly text: string; readonly texts: MemberTexts }>();
  const texts = typed?.text === text ? typed.texts : readMembers(param, text);
  const faults = texts === undefined ? {} : writeMembers(param, texts).faults;
  const change = (name: string, value: string) => {
    const next = { ...texts, [name]: value };
    const written = writeMembers(param, next);
    setTyped({ text: written.text, texts: next });
    onInput(written.text);
  };
  return (
    <fieldset class="members">
      <legend class="legend">
        {label}
        {!param.required && <span class="field-optional"> (optional)</span>}
      </legend>
      <Segments
        label={`Enter the ${param.name} as`}
        choices={[
          { value: "fields", label: "Fields" },
          { value: "json", label: "JSON" },
        ]}
        value={isJson || texts === undefined ? "json" : "fields"}
        onChange={(form) => setIsJson(form === "json")}
      />
      {isJson || texts === undefined
        ? asJson
        : param.members.map((member) => (
            <MemberField
              key={member.name}
              {...{ member, param }}
              text={texts[member.name] ?? ""}
              fault={faults[member.name]}
              onInput={(value) => change(member.name, value)}
            />
          ))}
      {!isJson && texts !== undefined && fault !== undefined && (
        <p class="field-fault" role="alert">
          {fault}
        </p>
      )}
      {texts === undefined && (
        <p class="card-hint">It has more than the fields can show, or is not an object yet.</p>
      )}
    </fieldset>
  );
}

type MemberProps = {
  readonly member: ParamMember;
  readonly param: MethodParam;
  readonly text: string;
  readonly fault: string | undefined;
  readonly onInput: (text: string) => void;
};

function MemberField({ member, param, text, fault, onInput }: MemberProps) {
  const frame = {
    name: `${param.name}-${member.name}`,
    label: labelOf(member),
    hint: `${capitalised(member.want)}.`,
    fault,
    optional: true,
  };
  const kind = kindOf(member);
  const values = member.choices ?? (kind === "boolean" ? ["true", "false"] : undefined);
  if (values !== undefined) {
    const choices = values.map((value) => ({ value, label: value }));
    const none = { value: "", label: "left out" };
    return <Select {...frame} choices={[none, ...choices]} value={text} onChange={onInput} />;
  }
  if (kind === "json") return <TextArea {...frame} mono rows={2} value={text} onInput={onInput} />;
  return <Field {...frame} mono autoComplete="off" value={text} onInput={onInput} />;
}
