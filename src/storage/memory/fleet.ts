import { type FleetProcess, type FleetStore, GONE_MS, type UpstreamName } from "../fleet-store.ts";

export function memoryFleet(check: () => void): FleetStore {
  const told = new Map<string, { readonly own: FleetProcess; readonly at: number }>();
  const drained = new Map<string, UpstreamName>();
  let lossFoundAt: number | undefined;
  return {
    tell: async (own, now) => {
      check();
      const place = JSON.stringify([own.name, own.worker]);
      const before = told.get(place);
      told.set(place, { own, at: now });
      return before?.own.process;
    },
    list: async (now) => {
      check();
      const living = [...told.values()].filter(({ at }) => at > now - GONE_MS);
      return living.map(({ own }) => own).sort(byPlace);
    },
    leave: async (process) => {
      check();
      for (const [place, { own }] of told) if (own.process === process) told.delete(place);
    },
    setDrained: async ({ network, upstream }, isDrained) => {
      check();
      const key = JSON.stringify([network, upstream]);
      if (isDrained) drained.set(key, { network, upstream });
      else drained.delete(key);
    },
    drained: async () => {
      check();
      return [...drained.values()];
    },
    tellLoss: async (now) => {
      check();
      lossFoundAt = now;
    },
    lossFound: async () => {
      check();
      return lossFoundAt;
    },
    forgetLoss: async () => {
      check();
      lossFoundAt = undefined;
    },
  };
}

function byPlace(a: FleetProcess, b: FleetProcess): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.worker - b.worker;
}
