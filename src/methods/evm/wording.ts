import type { ParamsWording } from "../check-params.ts";

/** The words of go-ethereum 1.17 (rpc/json.go) for faults of a list of params. */
export const EVM_WORDING: ParamsWording = Object.freeze({
  lengthFirst: false,
  notArray: () => "non-array args",
  tooFew: (wanted, given) =>
    `missing value for required argument ${given}; want ${wanted[given]?.want}`,
  tooMany: (wanted) => `too many arguments, want at most ${wanted.length}`,
  wrong: ({ message, whole }, { want }, place) =>
    `${whole ? "" : `invalid argument ${place}: `}${message}; want ${want}`,
} satisfies ParamsWording);
