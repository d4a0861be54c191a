import { define } from "./define.ts";
import type { Definition } from "./definition.ts";

/** Methods of the gateway itself: no node is asked. */
export const OWN_METHODS: readonly Definition[] = Object.freeze([
  define({
    method: "tollgate_usage",
    result: "what the account has used of the day's credits, and when they come back",
    credits: 0,
    own: "usage",
  }),
]);
