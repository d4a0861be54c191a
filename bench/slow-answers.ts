/** The code of an address that begins so has BIG_BYTES. */
export const BIG_ADDRESS = "0xb1b1b1";
const BIG_BYTES = 20_000_000;

/** Made when it is first asked for. */
let big: Buffer | undefined;

/** The answer to a call for a large code, in pieces. */
export function bigAnswer(id: unknown): Buffer[] {
  big ??= Buffer.from(`"0x${"5b".repeat(BIG_BYTES / 2)}"`);
  const start = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`);
  return [start, big, Buffer.from("}")];
}
