import type { PlanConfig } from "./plans.ts";

type Plans = Readonly<Record<string, PlanConfig>>;

/** The plans of the configuration, which may be read again. */
export class PlanTable {
  /** By name, without a prototype. */
  all: Plans;

  constructor(plans: Plans) {
    this.all = plans;
  }

  /** Undefined where it is configured no more. */
  of(name: string): PlanConfig | undefined {
    return this.all[name];
  }
}
