/** Close codes: RFC 6455 and its registry below 4000, our own above: docs/decisions.md, "WebSockets". */
export const CLOSE = {
  idle: { code: 1000, reason: "no message for an hour" },
  goingAway: { code: 1001, reason: "the gateway is stopping" },
  slowSender: { code: 1008, reason: "a message took longer than 30 s" },
  slowReader: { code: 1013, reason: "answers are not read" },
  keyEnded: { code: 4401, reason: "the API key has ended" },
  creditsGone: { code: 4402, reason: "the credits of the day are used up" },
  suspended: { code: 4403, reason: "account suspended" },
  notAllowed: { code: 4403, reason: "the key is no longer allowed from here" },
} as const;

export type CloseReason = { readonly code: number; readonly reason: string };
