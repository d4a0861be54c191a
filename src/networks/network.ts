import type { EvmNetworkConfig } from "../config/network-schema.ts";
import type { JsonValue } from "../jsonrpc/value.ts";
import type { Definition, LocalFacts } from "../methods/definition.ts";
import type { ShapeOptions } from "../methods/shapes/shape.ts";
import type { NetworkMetrics } from "../telemetry/metrics.ts";
import type { UpstreamPool } from "../upstreams/upstream-pool.ts";

type NetworkParts = { readonly upstreams: UpstreamPool; readonly metrics: NetworkMetrics };

/** One chain: what is known of it, and the upstreams that answer for it. */
export class Network {
  readonly name: string;
  readonly strictParams: boolean;
  /** For a whole call, retries and all. */
  readonly timeoutMs: number;
  readonly facts: LocalFacts;
  readonly upstreams: UpstreamPool;
  readonly metrics: NetworkMetrics;
  readonly #mined: ShapeOptions;
  readonly #pending: ShapeOptions;

  constructor(config: EvmNetworkConfig, parts: NetworkParts) {
    this.name = config.name;
    this.strictParams = config.strictParams;
    this.timeoutMs = config.timeoutMs;
    this.facts = { chainId: config.chainId };
    this.upstreams = parts.upstreams;
    this.metrics = parts.metrics;
    this.#mined = {
      pending: false,
      pendingBlock: config.pendingBlock,
      signatures: config.signatures,
      finalTotalDifficulty: config.finalTotalDifficulty,
    };
    this.#pending = { ...this.#mined, pending: true };
  }

  /** Stage 6: what the call's block parameter means for its answer. */
  resolve(definition: Definition, args: readonly JsonValue[]): ShapeOptions {
    const block = definition.params.findIndex((param) => param.role === "block");
    return args[block] === "pending" ? this.#pending : this.#mined;
  }
}
