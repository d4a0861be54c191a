import type { GaugeFamily } from "./plain-metrics.ts";

/** As `StorageTraffic` of the store. */
export type StorageState = {
  readonly statements: number;
  readonly errors: number;
  readonly isUp: boolean;
};

type Description = { readonly help: string; readonly labels: readonly string[] };
type Make = (name: string, description: Description, type?: "counter") => GaugeFamily;

/** Registers the families; what it returns has them looked up at each scrape. */
export function storageFamilies(gauge: Make): (state: StorageState) => void {
  const up = gauge("tollgate_storage_up", {
    help: "1 where the last statement reached the storage, else 0",
    labels: [],
  });
  const ofStatements = { help: "Statements to the storage", labels: [] };
  const statements = gauge("tollgate_storage_statements_total", ofStatements, "counter");
  const ofErrors = {
    help: "Statements to the storage that failed, and connections that were not made",
    labels: [],
  };
  const errors = gauge("tollgate_storage_errors_total", ofErrors, "counter");
  return (state) => {
    up.of().read = () => Number(state.isUp);
    statements.of().read = () => state.statements;
    errors.of().read = () => state.errors;
  };
}
