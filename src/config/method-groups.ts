/** Methods that a network's file switches on together: what they cost nodes differs by orders. */
export const METHOD_GROUPS = ["debug", "trace", "txpool"] as const;
export type MethodGroup = (typeof METHOD_GROUPS)[number];
