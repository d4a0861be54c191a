/** Every number has this: with it a plain number, such as a sum, stands for either kind of moment. */
type Plain = Pick<number, "toFixed">;

/** A moment of Unix time, milliseconds. The compiler refuses one where the other kind is expected. */
export type UnixMs = number & Plain & { readonly clock?: "unix" };

/** A moment of a clock that never goes back, milliseconds; differences of two are durations. */
export type MonotonicMs = number & Plain & { readonly clock?: "monotonic" };
