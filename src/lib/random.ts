/** Gives that many random bytes; `randomBytes` of node:crypto outside of tests. */
export type Random = (sizeBytes: number) => Uint8Array;
