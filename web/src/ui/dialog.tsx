import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { asApiError } from "../load.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

export type DialogProps = {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly wide?: boolean;
  /** Escape and the cross do nothing: what is shown is shown once, and a button has to end it. */
  readonly sticky?: boolean;
};

/** What takes the focus when a dialog opens: its first field, or the safe button. */
const FIRST = ".dialog-body :is(input, select, textarea, [data-safe])";

/** Of each dialog that is open: what had the focus before, the nearest first. */
const WAYS_BACK = new WeakMap<Element, readonly HTMLElement[]>();

/** What opened a dialog from within another one may be gone with that; then what opened that one. */
function waysBack(): readonly HTMLElement[] {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement)) return [];
  const outer = activeElement.closest("dialog");
  return [activeElement, ...((outer && WAYS_BACK.get(outer)) ?? [])];
}

/** Where a page begins, for when all that led to a dialog is gone. */
const heading = () => document.querySelector<HTMLElement>("main h1");

/** A modal dialog: render it to open it. Focus goes back to where it was when it is gone. */
export function Dialog({ title, children, onClose, wide = false, sticky = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const gone = useRef(false);
  const id = useId();
  // Before the browser draws: the next key must reach the dialog, not what is below.
  useLayoutEffect(() => {
    const element = dialog.current;
    const ways = waysBack();
    if (element !== null) WAYS_BACK.set(element, ways);
    if (element !== null && !element.open) {
      element.showModal();
      // Of itself the browser would choose the cross, which stands first.
      element.querySelector<HTMLElement>(FIRST)?.focus();
    }
    return () => {
      gone.current = true;
      element?.close();
      const back = ways.find(({ isConnected }) => isConnected) ?? heading();
      back?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!sticky) onClose();
      }}
      onClose={({ currentTarget }) => {
        // Browsers close a dialog at the second Escape, whatever the page says to the first one.
        if (gone.current) return;
        if (sticky) currentTarget.showModal();
        else onClose();
      }}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        {!sticky && <Button kind="quiet" icon="close" label="Close" onClick={onClose} />}
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

export type ConfirmProps = {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The text of the button that does it. */
  readonly action: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
};

/** Asks before something that cannot be taken back. */
export function Confirm({ title, children, action, onConfirm, onClose }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const run = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFault(asApiError(error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        {children}
        {fault !== undefined && <Notice tone="danger">{fault}</Notice>}
        <div class="form-actions">
          <Button kind="danger" busy={busy} onClick={() => void run()}>
            {action}
          </Button>
          <Button safe onClick={onClose}>
            Cancel
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
