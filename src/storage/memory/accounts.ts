/** What the stores beside it need to know of the accounts in memory. */
export type Accounts = {
  /** @throws StorageError once the storage is closed */
  readonly check: () => void;
  readonly has: (id: string) => boolean;
  readonly sameEmail: (a: string, b: string) => boolean;
};
