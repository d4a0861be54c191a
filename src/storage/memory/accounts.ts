/** The facts of the accounts in memory that the stores beside them need. */
export type Accounts = {
  /** @throws StorageError once the storage is closed */
  readonly check: () => void;
  readonly has: (id: string) => boolean;
  readonly sameEmail: (a: string, b: string) => boolean;
};
