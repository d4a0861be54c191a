/** Close codes: RFC 6455 and its registry below 4000, our own above: docs/decisions.md, "WebSockets". */
export const CLOSE = {
  idle: { code: 1000, reason: "no message for an hour" },
  goingAway: { code: 1001, reason: "the gateway is stopping" },
  networkGone: { code: 1001, reason: "the network is served no more" },
  slowSender: { code: 1008, reason: "a message took longer than 30 s" },
  slowReader: { code: 1013, reason: "answers are not read" },
  keyEnded: { code: 4401, reason: "the API key has ended" },
  keyCreditsGone: { code: 4402, reason: "the key's own credits of the day are used up" },
  creditsGone: { code: 4402, reason: "the credits of the day are used up" },
  suspended: { code: 4403, reason: "account suspended" },
  notAllowed: { code: 4403, reason: "the key is no longer allowed from here" },
} as const;

export type CloseReason = { readonly code: number; readonly reason: string };

/** For who does not read; with a cursor a subscriber goes on from there. */
export const slowReader = (cursor: string | undefined): CloseReason =>
  cursor === undefined ? CLOSE.slowReader : { code: 1013, reason: `slow: ${cursor}` };

/** For a subscriber to whom nothing more can be told. */
export const behind = (cursor: string | undefined): CloseReason => ({
  code: 1013,
  reason: cursor === undefined ? "behind" : `behind: ${cursor}`,
});
