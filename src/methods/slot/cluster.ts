import type { Definition } from "../definition.ts";
import { contextParam } from "./params/config.ts";
import { read } from "./read.ts";

export const CLUSTER_METHODS: readonly Definition[] = Object.freeze([
  read({ method: "getEpochInfo", params: [contextParam] }),
  read({ method: "getGenesisHash", cache: "constant" }),
  read({ method: "getVersion" }),
  read({ method: "getHealth" }),
]);
