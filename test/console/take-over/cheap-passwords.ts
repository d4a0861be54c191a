import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

/** A doubling of it doubles what a password takes; the console's is 16,384. */
const COST = 2;

type Arguments = [
  password: string,
  salt: string,
  length: number,
  options: crypto.ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
];

/**
 * Makes scrypt cheap in this process. Three quarters of an order's time went into passwords, whose
 * cost decides nothing here: with it 10,000 orders took 77 minutes on a slow machine.
 */
export function makePasswordsCheap(): void {
  const { scrypt } = crypto;
  const cheap = (...[password, salt, length, options, done]: Arguments) =>
    scrypt(password, salt, length, { ...options, N: COST }, done);
  Object.assign(crypto, { scrypt: cheap });
  syncBuiltinESMExports();
}
