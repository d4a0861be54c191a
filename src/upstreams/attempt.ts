import type { Upstream } from "./upstream.ts";

/** One attempt at one upstream, and its neighbours among those in the air. */
export class Attempt {
  readonly upstream: Upstream;
  readonly beganMs: number;
  before: Attempt | undefined;
  after: Attempt | undefined;

  constructor(upstream: Upstream, beganMs: number) {
    this.upstream = upstream;
    this.beganMs = beganMs;
  }
}
