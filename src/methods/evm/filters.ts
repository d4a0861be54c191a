/** Filters, which clients ask again and again what is new. */
import type { JsonValue } from "../../jsonrpc/value.ts";
import { define } from "../define.ts";
import type { Definition, Param } from "../definition.ts";
import { boolean, goValue, string } from "../params/decode.ts";
import { logFilter, requireFilterRange } from "../params/log-filter.ts";
import { ParamFault } from "../params/param-fault.ts";

const ID = goValue("rpc.ID");
const BOOL = goValue("bool");

const id: Param = Object.freeze({
  name: "filter",
  want: "the id that eth_newFilter, eth_newBlockFilter or eth_newPendingTransactionFilter gave",
  required: true,
  check: (value) => string(value, ID),
});

const hashesAlone: Param = Object.freeze({
  name: "whole",
  want: "false, since a filter tells hashes alone",
  required: false,
  check: (value) => {
    if (boolean(value, BOOL)) throw new ParamFault("a filter tells hashes alone");
    return false;
  },
});

const verify = ([filter]: readonly JsonValue[]): void => {
  if (filter instanceof Map) requireFilterRange(filter);
};

export const FILTER_METHODS: readonly Definition[] = Object.freeze([
  define({
    ...{
      method: "eth_newFilter",
      result: "the id of a filter, to be asked for new logs with eth_getFilterChanges",
      credits: 80,
      params: [logFilter],
    },
    ...{ own: "log filter", verify },
  }),
  define({
    method: "eth_newBlockFilter",
    result: "the id of a filter, to be asked for the hashes of new blocks",
    credits: 80,
    own: "block filter",
  }),
  define({
    ...{
      method: "eth_newPendingTransactionFilter",
      result:
        "the id of a filter, to be asked for the hashes of transactions that wait to be mined",
      credits: 80,
      params: [hashesAlone],
    },
    own: "pending filter",
  }),
  define({
    method: "eth_getFilterChanges",
    result:
      "a list of what is new since it was asked last: logs, or hashes of blocks or transactions",
    credits: 140,
    params: [id],
    own: "filter changes",
  }),
  define({
    method: "eth_getFilterLogs",
    result: "a list of all logs that the filter fits, as eth_getLogs gives them",
    credits: 255,
    params: [id],
    own: "filter logs",
  }),
  define({
    method: "eth_uninstallFilter",
    result: "true where there was such a filter",
    credits: 80,
    params: [id],
    own: "remove filter",
  }),
]);
