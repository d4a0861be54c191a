import type { MethodGroup } from "../config/method-groups.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import { alike } from "./alike.ts";
import type { ParamsWording } from "./check-params.ts";
import type { Definition } from "./definition.ts";
import { FILTER_METHODS } from "./evm/filters.ts";
import { SUBSCRIPTION_METHODS } from "./evm/subscriptions.ts";
import { EVM_WORDING } from "./evm/wording.ts";
import { OWN_METHODS } from "./own.ts";
import { EVM_GROUP_METHODS, EVM_METHODS, SLOT_METHODS } from "./registry.ts";
import { SLOT_SUBSCRIPTION_METHODS } from "./slot/subscriptions.ts";
import { SLOT_WORDING } from "./slot/wording.ts";

/** A kind of network: its methods, and its nodes' words for wrong params. */
export type Family = {
  readonly name: "evm" | "slot";
  /** All that it serves, the gateway's own included, and those of groups. */
  readonly methods: readonly Definition[];
  /** The definition of this name, written exactly so; undefined where it is not served. */
  readonly lookUp: (method: string) => Definition | undefined;
  /** Whether a method that is not served would write. */
  readonly isWriting: (method: string) => boolean;
  /** Why a method is not served, to follow the words that it is not; empty where there is nothing to say. */
  readonly whyNot: (method: string) => string;
  readonly wording: ParamsWording;
  /** Where a connection has no subscription of an id. */
  readonly noSubscription: RpcError;
};

/** How the names of methods begin that change a chain, a node or its keys. */
const EVM_WRITES: readonly string[] = [
  "eth_send",
  "eth_sign",
  "eth_submit",
  "eth_cancel",
  "eth_resend",
  "personal_",
  "miner_",
  "admin_",
  "clique_",
  "debug_set",
  "engine_",
  "wallet_",
  "anvil_",
  "hardhat_",
  "evm_",
  "ganache_",
  "tenderly_",
];

/** The same of slot networks; `surfnet_` are the cheats of the node for development. */
const SLOT_WRITES: readonly string[] = ["send", "requestAirdrop", "surfnet_"];

function family(
  name: Family["name"],
  methods: readonly Definition[],
  {
    writes,
    ...words
  }: Pick<Family, "wording" | "noSubscription"> & { readonly writes: readonly string[] },
): Family {
  const served = [...methods, ...OWN_METHODS].map(alike);
  const byName = new Map(served.map((definition) => [definition.method, definition]));
  const isWriting = (method: string) => writes.some((prefix) => method.startsWith(prefix));
  return Object.freeze({
    name,
    methods: Object.freeze(served),
    lookUp: (method) => byName.get(method),
    isWriting,
    whyNot: (method) => (isWriting(method) ? ": this service is read-only" : ""),
    ...words,
  } satisfies Family);
}

/** The family with the methods of these groups alone, and all that are of none. */
export function withGroups(family: Family, groups: readonly MethodGroup[]): Family {
  const isOn = ({ group }: Definition) => group === undefined || groups.includes(group);
  const served = new Map(
    family.methods.filter(isOn).map((definition) => [definition.method, definition]),
  );
  return Object.freeze({
    ...family,
    methods: Object.freeze([...served.values()]),
    lookUp: (method) => served.get(method),
    whyNot: (method) => {
      const group = family.lookUp(method)?.group;
      return group === undefined
        ? family.whyNot(method)
        : `: the network does not serve the group ${group}`;
    },
  } satisfies Family);
}

export const FAMILIES: Readonly<Record<Family["name"], Family>> = Object.freeze({
  evm: family(
    "evm",
    [...EVM_METHODS, ...EVM_GROUP_METHODS, ...SUBSCRIPTION_METHODS, ...FILTER_METHODS],
    {
      writes: EVM_WRITES,
      wording: EVM_WORDING,
      noSubscription: { name: "subscription_not_found" },
    },
  ),
  slot: family("slot", [...SLOT_METHODS, ...SLOT_SUBSCRIPTION_METHODS], {
    writes: SLOT_WRITES,
    wording: SLOT_WORDING,
    noSubscription: { name: "invalid_params", message: "Invalid subscription id." },
  }),
});
