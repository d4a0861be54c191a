/** One for all sockets that read through `onread`: what a read puts here is taken out before the next. */
export const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);
