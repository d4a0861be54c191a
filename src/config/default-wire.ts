import type { WireKind } from "../wire/wire-kind.ts";

/** `server.wire` where the file does not say. The variable lets a whole test run use the other one. */
export const DEFAULT_WIRE: WireKind = process.env["TOLLGATE_WIRE"] === "node" ? "node" : "plain";
