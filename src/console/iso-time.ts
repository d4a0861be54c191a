/** Unix milliseconds as the API tells times: ISO 8601, UTC. */
export const isoTime = (timeMs: number): string => new Date(timeMs).toISOString();

export const isoTimeOrNull = (timeMs: number | null): string | null =>
  timeMs === null ? null : isoTime(timeMs);
