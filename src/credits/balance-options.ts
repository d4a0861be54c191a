export type BalanceFigures = {
  readonly perDay: number;
  /** Sizes the leases. */
  readonly perSecond: number;
  /** What the store holds several processes to, together. */
  readonly sharedPerSecond: number;
};

export type BalanceOptions = {
  readonly owner: string;
  readonly figures: BalanceFigures;
  /** No other process draws any more; how long ago one still did. */
  readonly onAlone: (agoMs: number, atMs: number) => void;
};
