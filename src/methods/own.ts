import type { Definition } from "./definition.ts";
import { plain } from "./shapes/shape.ts";

/** Methods of the gateway itself: no node is asked. */
export const OWN_METHODS: readonly Definition[] = Object.freeze([
  Object.freeze({
    method: "tollgate_usage",
    params: [],
    credits: 0,
    cache: "never",
    state: false,
    shape: plain,
    own: "usage",
  } satisfies Definition),
]);
