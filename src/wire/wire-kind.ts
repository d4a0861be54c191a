export const WIRE_KINDS = ["plain", "node"] as const;

/**
 * How the gateway speaks HTTP: `plain` by its own code, with what Node has inside; `node` by node:http, with
 * nothing that Node does not document.
 */
export type WireKind = (typeof WIRE_KINDS)[number];
