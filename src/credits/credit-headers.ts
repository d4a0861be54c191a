/** What an account has left, as one process knows it. */
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

/**
 * The credit headers of an answer, as lines that each have their line end. RateLimit as in
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function creditHeaders(charged: number, balance: Balance): string {
  const { limit, remaining, resetSeconds, perSecond, secondLeft } = balance;
  return `X-Credits-Charged: ${charged}\r\nX-Credits-Remaining: ${remaining}\r\nX-Credits-Reset: ${resetSeconds}\r\nRateLimit-Policy: "day";q=${limit};w=86400, "second";q=${perSecond};w=1\r\nRateLimit: "day";r=${remaining};t=${resetSeconds}, "second";r=${secondLeft};t=1\r\n`;
}
