import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { LiveState } from "../live.ts";
import {
  formatAgo,
  formatTime,
  isUtc,
  type TimeStyle,
  useNow,
  useZone,
  zoneName,
} from "../time.ts";
import type { Tone } from "./notice.tsx";

export type CardProps = {
  readonly title?: string;
  readonly hint?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Without space around the content: for tables. */
  readonly flush?: boolean;
};

/** A part of a page under a heading of its own. */
export function Card({ title, hint, actions, children, flush = false }: CardProps) {
  const id = useId();
  return (
    <section class={flush ? "card card-flush" : "card"} aria-labelledby={title && id}>
      {(title || actions) && (
        <header class="card-head">
          <div>
            {title && <h2 id={id}>{title}</h2>}
            {hint && <p class="card-hint">{hint}</p>}
          </div>
          {actions && <div class="card-actions">{actions}</div>}
        </header>
      )}
      <div class="card-body">{children}</div>
    </section>
  );
}

export type PageHeadProps = {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
};

/** The page's heading, which takes the focus when the page is opened; children say what it is for. */
export function PageHead({ title, children, actions }: PageHeadProps) {
  return (
    <header class="page-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {children && <div class="page-lead">{children}</div>}
      </div>
      {actions && <div class="page-actions">{actions}</div>}
    </header>
  );
}

export type StatProps = {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly tone?: Tone;
};

/** One number that matters. Put several in `<Stats>`. */
export function Stat({ label, value, note, tone }: StatProps) {
  return (
    <div class={tone ? `stat stat-${tone}` : "stat"}>
      <dt>{label}</dt>
      <dd>
        <span class="stat-value">{value}</span>
        {note && <span class="stat-note">{note}</span>}
      </dd>
    </div>
  );
}

export function Stats({ children }: { readonly children: ComponentChildren }) {
  return <dl class="stats">{children}</dl>;
}

export function Badge({
  tone,
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) {
  return <span class={`badge badge-${tone ?? "plain"}`}>{children}</span>;
}

export type ProgressProps = {
  readonly label: string;
  /** From 0 to 1; more is shown as full. */
  readonly share: number;
  /** The value in words: `2,400 of 3,000 credits`. */
  readonly text: string;
};

/** How much of something is used: from 75 % in the tone of a warning, full in that of a danger. */
export function Progress({ label, share, text }: ProgressProps) {
  const percent = Math.min(100, Math.max(0, share * 100));
  const tone = percent >= 100 ? "danger" : percent >= 75 ? "warn" : "ok";
  return (
    <div class={`progress progress-${tone}`}>
      <meter class="unseen" aria-label={label} aria-valuetext={text} max={100} value={percent}>
        {text}
      </meter>
      <div class="progress-bar" aria-hidden="true" style={{ width: `${percent}%` }} />
    </div>
  );
}

/** Gray lines in place of what is loading. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" aria-busy="true">
      <span class="unseen">Loading…</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="skeleton-line" aria-hidden="true" />
      ))}
    </div>
  );
}

/** A time in the person's zone, with UTC beside it. */
export function Time({
  value,
  style = "full",
}: {
  readonly value: string | number;
  readonly style?: TimeStyle;
}) {
  const zone = useZone();
  const iso = new Date(value).toISOString();
  const utc = `${formatTime(value, "UTC", style === "day" ? "full" : style)} UTC`;
  return (
    <time class="time" dateTime={iso} title={`${iso} · ${formatTime(value, zone)} ${zone}`}>
      {isUtc(zone) ? (
        utc
      ) : (
        <>
          {formatTime(value, zone, style)} {zoneName(zone, value)}
          <span class="time-utc">{utc}</span>
        </>
      )}
    </time>
  );
}

/** How long ago; the times themselves stand in its title. */
export function Ago({ value }: { readonly value: string | number }) {
  const zone = useZone();
  const now = useNow(10_000);
  const title = `${formatTime(value, zone)} ${zoneName(zone, value)} · ${formatTime(value, "UTC")} UTC`;
  return (
    <time dateTime={new Date(value).toISOString()} title={title}>
      {formatAgo(value, now)}
    </time>
  );
}

const LIVE_TEXTS: Readonly<Record<LiveState, string>> = {
  connecting: "Connecting…",
  live: "Live",
  lost: "Connection lost, trying again…",
};

/** Whether what is shown is live. */
export function LiveMark({ state }: { readonly state: LiveState }) {
  return (
    <span class={`live live-${state}`} role="status">
      <span class="live-dot" aria-hidden="true" />
      {LIVE_TEXTS[state]}
    </span>
  );
}
