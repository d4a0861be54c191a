import { useState } from "preact/hooks";
import type { Method, NetworkView } from "../../../../src/console/contract/session.ts";
import { Button } from "../../ui/button.tsx";
import { Copy } from "../../ui/copy.tsx";
import { TextArea } from "../../ui/field.tsx";
import { Form, fieldError } from "../../ui/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { type SharedCall, writeAddress } from "./call-address.ts";
import { CopyCall } from "./copy-call.tsx";
import { ParamField } from "./param-field.tsx";
import { encodeAll, textsOf } from "./param-texts.ts";
import { parseRequest, requestText } from "./request-text.ts";

/** What is entered: the form's texts, or the request as JSON. */
export type Draft = { readonly texts: readonly string[] } | { readonly raw: string };

export type CallFormProps = {
  readonly network: NetworkView;
  readonly method: Method;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** The request as JSON names another method. */
  readonly onMethod: (method: string, params: readonly unknown[]) => void;
  readonly onSend: (method: string, params: readonly unknown[]) => Promise<void>;
};

/** The parameters as a form and as JSON; what is entered in one is shown in the other. */
export function CallForm(props: CallFormProps) {
  const { network, method, draft, onDraft, onMethod, onSend } = props;
  const [isTried, setIsTried] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const isRaw = "raw" in draft;
  const parsed = isRaw ? parseRequest(draft.raw, method.method) : undefined;
  const form = encodeAll(method.params, isRaw ? [] : draft.texts);
  const { faults } = form;
  const values = parsed !== undefined && "params" in parsed ? parsed.params : form.values;

  const show = (view: string) => {
    setRefusal(undefined);
    if (view === "json" && !isRaw) onDraft({ raw: requestText(method.method, values) });
    if (view === "json" || parsed === undefined) return;
    if ("fault" in parsed) return setRefusal(parsed.fault);
    if (parsed.method !== method.method) return onMethod(parsed.method, parsed.params);
    const texts = textsOf(method.params, parsed.params);
    if (texts !== undefined) return onDraft({ texts });
    setRefusal("The form cannot show these params. You can send them from here as they are.");
  };
  const send = async () => {
    setIsTried(true);
    if (parsed === undefined) {
      const [wrong] = Object.entries(faults);
      if (wrong !== undefined) throw fieldError(`param-${wrong[0]}`, wrong[1]);
      return onSend(method.method, values);
    }
    if ("fault" in parsed) throw fieldError("raw", parsed.fault);
    return onSend(parsed.method, parsed.params);
  };
  return (
    <Form
      label="The call"
      submit="Send"
      onSubmit={send}
      actions={<Share call={{ network: network.name, method: method.method, params: values }} />}
    >
      <Segments
        label="Enter the params as"
        choices={[
          { value: "form", label: "Form" },
          { value: "json", label: "JSON" },
        ]}
        value={isRaw ? "json" : "form"}
        onChange={show}
      />
      {!isRaw && <Example {...{ method, onDraft }} />}
      {refusal !== undefined && <Notice tone="warn">{refusal}</Notice>}
      {isRaw ? (
        <RawField raw={draft.raw} parsed={parsed} onInput={(raw) => onDraft({ raw })} />
      ) : (
        <Params
          {...{ method, faults, isTried, texts: draft.texts }}
          onInput={(texts) => onDraft({ texts })}
        />
      )}
      <CopyCall {...{ network, method: method.method, params: values }} />
    </Form>
  );
}

/** Fills the form with params that are right. */
function Example({ method, onDraft }: Pick<CallFormProps, "method" | "onDraft">) {
  const { example, params } = method;
  const texts = example === null || params.length === 0 ? undefined : textsOf(params, example);
  if (texts === undefined) return null;
  return (
    <Button size="small" onClick={() => onDraft({ texts })}>
      Fill in an example
    </Button>
  );
}

/** The address of the call as it is entered now. */
function Share({ call }: { readonly call: SharedCall }) {
  const { href } = new URL(writeAddress(call), location.origin);
  return (
    <span class="share">
      Share: <Copy text={href} label="Copy a link to this call" kind="quiet" />
    </span>
  );
}

type RawProps = {
  readonly raw: string;
  readonly parsed: ReturnType<typeof parseRequest> | undefined;
  readonly onInput: (raw: string) => void;
};

function RawField({ raw, parsed, onInput }: RawProps) {
  return (
    <TextArea
      {...{ name: "raw", label: "Request", mono: true, onInput, value: raw }}
      rows={Math.min(24, Math.max(8, raw.split("\n").length + 1))}
      fault={parsed !== undefined && "fault" in parsed ? parsed.fault : undefined}
      hint="A whole request, or only its list of params. Paste one from your logs to try it."
    />
  );
}

type ParamsProps = {
  readonly method: Method;
  readonly texts: readonly string[];
  readonly faults: Readonly<Record<number, string>>;
  readonly isTried: boolean;
  readonly onInput: (texts: readonly string[]) => void;
};

function Params({ method, texts, faults, isTried, onInput }: ParamsProps) {
  if (method.params.length === 0) {
    return <p class="card-hint">This method takes no params.</p>;
  }
  return (
    <>
      {method.params.map((param, index) => {
        const text = texts[index] ?? "";
        return (
          <ParamField
            key={param.name}
            {...{ param, index, text }}
            // An empty field is no fault before somebody tries to send it.
            fault={text === "" && !isTried ? undefined : faults[index]}
            onInput={(changed) =>
              onInput(method.params.map((_, at) => (at === index ? changed : (texts[at] ?? ""))))
            }
          />
        );
      })}
    </>
  );
}
