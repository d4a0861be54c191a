import { useRef, useState } from "preact/hooks";
import { announce } from "../announce.tsx";
import { Button } from "./button.tsx";

const SHOWN_MS = 2000;

export type CopyProps = {
  readonly text: string;
  /** What is copied, for screen readers: `Copy the key`. */
  readonly label: string;
  readonly kind?: "plain" | "primary" | "quiet";
};

/** A button that copies a text. */
export function Copy({ text, label, kind = "plain" }: CopyProps) {
  const [result, setResult] = useState<"" | "Copied" | "Press Ctrl+C">("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const copy = async () => {
    const done = (await copyText(text)) ? "Copied" : "Press Ctrl+C";
    setResult(done);
    announce(done);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setResult(""), SHOWN_MS);
  };
  return (
    <Button
      size="small"
      kind={kind}
      icon={result === "Copied" ? "check" : "copy"}
      label={label}
      onClick={() => void copy()}
    >
      {result || "Copy"}
    </Button>
  );
}

/** Browsers give the clipboard only to https and localhost; elsewhere a person has to copy. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export type CodeProps = {
  readonly text: string;
  /** What the text is, for screen readers. */
  readonly label: string;
  readonly copy?: boolean;
  /** Long lines are broken rather than scrolled. */
  readonly wrap?: boolean;
};

/** A text to read or paste as it is. */
export function Code({ text, label, copy = true, wrap = false }: CodeProps) {
  const code = useRef<HTMLPreElement>(null);
  const selectAll = () => {
    if (code.current !== null) getSelection()?.selectAllChildren(code.current);
  };
  return (
    <figure class="code" aria-label={label}>
      <pre
        ref={code}
        class={wrap ? "code-wrap" : undefined}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
        tabIndex={0}
        onDblClick={selectAll}
      >
        {text}
      </pre>
      {copy && <Copy text={text} label={`Copy: ${label}`} />}
    </figure>
  );
}
