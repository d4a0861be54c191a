import type { ComponentChildren } from "preact";
import type { ApiError } from "../api.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

export type Tone = "info" | "ok" | "warn" | "danger";

const ICONS: Readonly<Record<Tone, IconName>> = {
  info: "info",
  ok: "check",
  warn: "alert",
  danger: "alert",
};

export type NoticeProps = {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
};

/** Something to know; dangers are said at once by screen readers. */
export function Notice({ tone = "info", title, children, actions }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`} role={tone === "danger" ? "alert" : undefined}>
      <Icon name={ICONS[tone]} />
      <div class="notice-text">
        {title && <p class="notice-title">{title}</p>}
        {children && <div>{children}</div>}
      </div>
      {actions && <div class="notice-actions">{actions}</div>}
    </div>
  );
}

/** What could not be loaded, and a button to try again. */
export function LoadFault({
  error,
  retry,
}: {
  readonly error: ApiError;
  readonly retry?: () => void;
}) {
  return (
    <Notice
      tone="danger"
      title="This could not be loaded"
      actions={
        retry && (
          <Button size="small" icon="refresh" onClick={retry}>
            Try again
          </Button>
        )
      }
    >
      {error.message}
    </Notice>
  );
}

export type EmptyProps = {
  readonly icon: IconName;
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
};

/** In place of an empty list: what would be here, and how it comes to be. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} />
      </span>
      <p class="empty-title">{title}</p>
      <div class="empty-text">{children}</div>
      {action}
    </div>
  );
}
