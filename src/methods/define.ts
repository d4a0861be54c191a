import type { Definition, Param, ParamPlaces, ParamRole } from "./definition.ts";
import { plain } from "./shapes/shape.ts";

export type Particulars = Pick<Definition, "method" | "credits"> &
  Partial<Omit<Definition, "places">>;

/** A frozen definition: where it says nothing else, a method of no params that is never kept. */
export function define(particulars: Particulars): Definition {
  const params = Object.freeze(particulars.params ?? []);
  return Object.freeze({
    cache: "never",
    state: false,
    shape: plain,
    ...particulars,
    params,
    places: placesOf(params),
  });
}

function placesOf(params: readonly Param[]): ParamPlaces {
  const at = (role: ParamRole) => params.findIndex((param) => param.role === role);
  const [block, filter, call] = [at("block"), at("filter"), at("call")];
  return Object.freeze({
    block,
    blockCount: at("block-count"),
    blockHash: at("block-hash"),
    filter,
    call,
    slot: at("slot"),
    config: at("config"),
    needHead: Math.max(block, filter, call) >= 0,
  });
}
