/** Values that the pages show as choices; no library stands behind this file. */

/** How far back usage is shown. */
export const RANGES = ["15m", "1h", "24h", "7d", "30d"] as const;
/** Ranges for which minutes are kept; called contracts are counted by the minute alone. */
export const MINUTE_RANGES = ["15m", "1h", "24h"] as const;
/** How far back the usage of all accounts is shown. */
export const FLEET_RANGES = ["1h", "24h", "7d", "30d"] as const;
/** How far back the history of a node is shown. */
export const NODE_RANGES = ["1h", "24h", "7d"] as const;
export const SERIES_BY = ["method", "network", "key", "outcome"] as const;
/** Per cent of the day's credits. */
export const THRESHOLDS = [75, 85, 100] as const;
/** The most series that a chart tells apart; the rest is `other`. */
export const MOST_SERIES = 12;
export const OTHER_SERIES = "other";
export const MOST_ALERT_EMAILS = 10;
export const KEY_NAME_MAX_LENGTH = 100;
export const TOKEN_NAME_MAX_LENGTH = 100;
/** API tokens of an account, expired ones too. */
export const MOST_TOKENS = 20;
export const EMAIL_MAX_LENGTH = 254;
/** Bytes of an answer that the explorer shows. */
export const EXPLORER_ANSWER_BYTES = 1_048_576;
