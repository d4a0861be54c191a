/**
 * A client that is told to slow down and asks on: its connection is not read for so long after each
 * such answer, so that it gets 200 of them a second at most. Clients that retry at once, as
 * @solana/web3.js does with a refused subscription, would keep the gateway busy with refusals.
 */
const PAUSE_MS = 5;
const TOO_MANY_REQUESTS = 429;

/** Whether the answer has this status; then `goOn` is called once the connection may be read again. */
export function pausesAfter(status: number, goOn: () => void): boolean {
  if (status !== TOO_MANY_REQUESTS) return false;
  setTimeout(goOn, PAUSE_MS);
  return true;
}
