import { formatTime, zoneName } from "../time.ts";

/** A span of time in words: `25 Oct, 02:00 – 03:00 CEST`. */
export function spanText(at: number, stepMs: number, zone: string): string {
  const end = at + stepMs;
  const isSameDay = formatTime(at, zone, "day") === formatTime(end - 1, zone, "day");
  const until = formatTime(end, zone, isSameDay ? "clock" : "minute");
  return `${formatTime(at, zone, "minute")} – ${until} ${zoneName(zone, at)}`;
}
