import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { useState } from "preact/hooks";
import { toast } from "../announce.tsx";
import { messageOf } from "../api.ts";
import { Link } from "../router.tsx";
import { Icon, type IconName } from "./icon.tsx";

export type ButtonProps = {
  readonly children?: ComponentChildren;
  readonly kind?: "primary" | "plain" | "danger" | "quiet";
  readonly size?: "normal" | "small";
  readonly icon?: IconName;
  readonly type?: "button" | "submit";
  readonly disabled?: boolean;
  /** Shows that the action runs; a second click does nothing. */
  readonly busy?: boolean;
  /** The name for screen readers where the children do not say it (an icon alone). */
  readonly label?: string;
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  /** Takes the focus in a dialog without fields. */
  readonly safe?: boolean;
  readonly expanded?: boolean;
  readonly controls?: string;
};

export function Button({
  children,
  kind = "plain",
  size = "normal",
  icon,
  type = "button",
  disabled = false,
  busy = false,
  label,
  onClick,
  safe,
  expanded,
  controls,
}: ButtonProps) {
  const alone = children === undefined ? " button-alone" : "";
  return (
    <button
      type={type}
      class={`button button-${kind} button-${size}${alone}`}
      disabled={disabled}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      aria-label={label}
      aria-expanded={expanded}
      aria-controls={controls}
      title={children === undefined ? label : undefined}
      data-safe={safe || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

type ActionProps = Omit<ButtonProps, "onClick" | "busy"> & {
  readonly action: () => Promise<void>;
};

/** A button of something that takes a moment; what goes wrong is shown as a toast. */
export function ActionButton({ action, ...props }: ActionProps) {
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await action();
    } catch (error) {
      toast(messageOf(error), "danger");
    } finally {
      setBusy(false);
    }
  };
  return <Button {...props} busy={busy} onClick={() => void run()} />;
}

type ButtonLinkProps = Pick<ButtonProps, "children" | "kind" | "size" | "icon"> & {
  readonly to: string;
};

/** A link that looks like a button: it goes somewhere. */
export function ButtonLink({
  to,
  children,
  kind = "plain",
  size = "normal",
  icon,
}: ButtonLinkProps) {
  return (
    <Link to={to} class={`button button-${kind} button-${size}`}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}
