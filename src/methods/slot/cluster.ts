import type { Definition } from "../definition.ts";
import { contextParam } from "./params/config.ts";
import { read } from "./read.ts";

export const CLUSTER_METHODS: readonly Definition[] = Object.freeze([
  read({
    method: "getEpochInfo",
    result: "the present epoch: its number, how far it has come, and the newest slot",
    params: [contextParam],
  }),
  read({ method: "getGenesisHash", result: "the genesis hash of the cluster", cache: "constant" }),
  read({ method: "getVersion", result: "the version of the node that answered" }),
  read({ method: "getHealth", result: "ok where the node has caught up" }),
]);
