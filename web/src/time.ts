import { useEffect, useState } from "preact/hooks";
import { useSetting } from "./settings.ts";

/** The browser's own time zone. */
export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The zone that times are shown in: the chosen one, or the browser's. */
export function useZone(): string {
  const [zone] = useSetting("zone");
  return zone !== undefined && isZone(zone) ? zone : browserZone();
}

export function isZone(zone: string): boolean {
  try {
    Intl.DateTimeFormat("en-GB", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** All zones that the browser knows, UTC first. */
export function allZones(): readonly string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
}

/** Whether the zone's clock shows what UTC's shows. */
export function isUtc(zone: string): boolean {
  return zone === "UTC" || zone === "Etc/UTC" || zone === "Etc/GMT" || zone === "GMT";
}

export type TimeStyle = "full" | "moment" | "minute" | "day" | "clock" | "hour";

const STYLES: Readonly<Record<TimeStyle, Intl.DateTimeFormatOptions>> = {
  full: {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  },
  moment: {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  },
  minute: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  day: { day: "numeric", month: "short", year: "numeric" },
  clock: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  hour: { weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** A time as `style` in the zone, such as `21 Nov 2026, 22:00:00`. */
export function formatTime(time: string | number, zone: string, style: TimeStyle = "full"): string {
  const name = `${style} ${zone}`;
  let format = formats.get(name);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-GB", { ...STYLES[style], timeZone: zone });
    formats.set(name, format);
  }
  return format.format(new Date(time));
}

/** Each English names the zones of its own part of the world, and counts hours for the rest. */
const ENGLISHES = ["en-GB", "en-US", "en-AU", "en-IN"] as const;

const nameFormats = new Map<string, readonly Intl.DateTimeFormat[]>();

/** The zone's short name at that time, such as `CET`, `EST` or `GMT+9`. */
export function zoneName(zone: string, time: string | number = Date.now()): string {
  let list = nameFormats.get(zone);
  if (list === undefined) {
    const options = { timeZone: zone, timeZoneName: "short" } as const;
    list = ENGLISHES.map((english) => new Intl.DateTimeFormat(english, options));
    nameFormats.set(zone, list);
  }
  const names = list.map((format) => {
    const parts = format.formatToParts(new Date(time));
    return parts.find((part) => part.type === "timeZoneName")?.value ?? zone;
  });
  return names.find((name) => !/^GMT[+-]/.test(name)) ?? names[0] ?? zone;
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago (or ahead), such as `5 minutes ago`; below a minute `just now`. */
export function formatAgo(time: string | number, now: number): string {
  const seconds = (new Date(time).getTime() - now) / 1000;
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return seconds > 5 ? "in less than a minute" : "just now";
}

/** A length of time, such as `3 h 12 min`, `4 min 5 s` or `9 s`. */
export function formatSpan(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const days = Math.floor(whole / 86_400);
  const hours = Math.floor((whole % 86_400) / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes > 0) return `${minutes} min ${whole % 60} s`;
  return `${whole} s`;
}

const DAY_MS = 86_400_000;

/** The next UTC day, as fields for dates have it. */
export function tomorrow(): string {
  return new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
}

/** The time now, looked at each `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
