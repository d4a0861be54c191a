/** The rest of an account, as one process knows it. */
export type Balance = {
  /** Credits of a UTC day, without those that were added to this one. */
  readonly limit: number;
  /** Credits of the day that are left, added ones included. */
  readonly remaining: number;
  readonly resetSeconds: number;
  /** Credits per second, and what the second has left. */
  readonly perSecond: number;
  readonly secondLeft: number;
};

/** The names that a browser has to be allowed to read (Access-Control-Expose-Headers). */
export const CREDIT_HEADERS = [
  "X-Credits-Charged",
  "X-Credits-Remaining",
  "X-Credits-Reset",
  "RateLimit-Policy",
  "RateLimit",
] as const;

/** From here on V8 writes a number as it writes fractions, which takes 0.3 us. */
const SLOW_NUMBER = 2 ** 30;
const MILLION = 1_000_000;

/**
 * The credit headers of an answer, as lines that each have their line end. RateLimit as in
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function creditHeaders(charged: number, balance: Balance): string {
  const { limit, resetSeconds, perSecond, secondLeft } = balance;
  const remaining = decimal(balance.remaining);
  const left = `X-Credits-Charged: ${charged}\r\nX-Credits-Remaining: ${remaining}\r\nX-Credits-Reset: ${resetSeconds}\r\n`;
  const policy = `RateLimit-Policy: "day";q=${limit};w=86400, "second";q=${perSecond};w=1\r\n`;
  return `${left}${policy}RateLimit: "day";r=${remaining};t=${resetSeconds}, "second";r=${secondLeft};t=1\r\n`;
}

/** A whole number, in two parts where it is large: the first one V8 still knows from the last time. */
function decimal(number: number): string {
  if (number < SLOW_NUMBER || number > Number.MAX_SAFE_INTEGER) return String(number);
  const high = Math.floor(number / MILLION);
  return String(high) + String(number - high * MILLION + MILLION).slice(1);
}
