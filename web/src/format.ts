const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
// British English shortens a million to `m`, which would read as a thousandth.
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** A whole number with separators: `3,000,000`. */
export function formatNumber(value: number): string {
  return whole.format(value);
}

/** A number for small places: `3M`, `1.2K`. */
export function formatShort(value: number): string {
  return Math.abs(value) < 10_000 ? whole.format(value) : short.format(value);
}

/** A share of 1 as per cent: `0 %`, `<0.1 %`, `2.3 %`, `98 %`. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  return percent > 0 && percent < 10 ? `${percent.toFixed(1)} %` : `${percent.toFixed(0)} %`;
}

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Bytes: `512 B`, `1.4 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

/** Milliseconds: `0.4 ms`, `23 ms`, `1.2 s`. */
export function formatMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
}

/** One thing or several: `plural(2, "key")` → `2 keys`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** A long text's beginning and end, for hashes and addresses. */
export function shorten(text: string, length = 18): string {
  if (text.length <= length) return text;
  const half = Math.floor((length - 1) / 2);
  return `${text.slice(0, length - half - 1)}…${text.slice(-half)}`;
}

/** With a capital letter, as a sentence or a label begins. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A name of a program as people write it: `creditsPerDay` as `credits per day`. */
export function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
