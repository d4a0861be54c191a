import { FILTER_MS, type FilterStore, type FoundFilter } from "../filter-store.ts";

type Kept = FoundFilter & { readonly move?: string };

export function memoryFilters(check: () => void): FilterStore {
  const filters = new Map<string, Kept>();
  const living = (id: string, now: number): Kept | undefined => {
    const found = filters.get(id);
    return found !== undefined && found.usedAt > now - FILTER_MS ? found : undefined;
  };
  return {
    insert: async (filter, most, now) => {
      check();
      for (const id of [...filters.keys()]) if (living(id, now) === undefined) filters.delete(id);
      const own = [...filters.values()].filter(({ keyId }) => keyId === filter.keyId);
      if (own.length >= most) return false;
      filters.set(filter.id, { ...filter, usedAt: now });
      return true;
    },
    find: async (id, now) => {
      check();
      const found = living(id, now);
      if (found === undefined) return undefined;
      const { move: _, ...filter } = found;
      return filter;
    },
    move: async ({ id, from, to, move }, now) => {
      check();
      const found = living(id, now);
      if (found === undefined || (found.place !== from && found.move !== move)) return false;
      filters.set(id, { ...found, place: to, move, usedAt: now });
      return true;
    },
    remove: async (id, keyId, now) => {
      check();
      return living(id, now)?.keyId === keyId && filters.delete(id);
    },
  };
}
