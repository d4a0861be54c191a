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
  const { secondLeft } = balance;
  if (!isSteady(balance)) steady = steadyOf(balance);
  const remaining = String(balance.remaining);
  return `X-Credits-Charged: ${charged}\r\nX-Credits-Remaining: ${remaining}${steady.middle}${remaining}${steady.end}${secondLeft};t=1\r\n`;
}

/** What the lines have in common for a second, between their other parts. */
type Steady = Omit<Balance, "remaining" | "secondLeft"> & {
  readonly middle: string;
  readonly end: string;
};

/** The last answer's: more often than not the next one's, too. */
let steady = steadyOf({ limit: 0, remaining: 0, resetSeconds: 0, perSecond: 0, secondLeft: 0 });

function isSteady({ limit, perSecond, resetSeconds }: Balance): boolean {
  return (
    steady.resetSeconds === resetSeconds && steady.limit === limit && steady.perSecond === perSecond
  );
}

function steadyOf({ limit, perSecond, resetSeconds }: Balance): Steady {
  const middle = `\r\nX-Credits-Reset: ${resetSeconds}\r\nRateLimit-Policy: "day";q=${limit};w=86400, "second";q=${perSecond};w=1\r\nRateLimit: "day";r=`;
  return { limit, perSecond, resetSeconds, middle, end: `;t=${resetSeconds}, "second";r=` };
}
