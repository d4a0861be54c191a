/** How long a connection is kept that asked for what is not there, or with a key that is none. */
export const STRANGER_IDLE_MS = 5000;

const UNAUTHORIZED = 401;
const NOT_FOUND = 404;

/** Whether an answer with this status went to nobody that is known. */
export function isStrangers(status: number): boolean {
  return status === UNAUTHORIZED || status === NOT_FOUND;
}
