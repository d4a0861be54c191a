import { brotliCompress, constants, deflateRaw, gzip, zstdCompress } from "node:zlib";
import type { Coding } from "./accept-encoding.ts";

/** A compressor, on a thread of Node's; never throws. */
export type Compressor = (
  plain: Buffer,
  done: (error: Error | null, compressed: Buffer) => void,
) => void;

/** `deflate`: raw, to be spliced into a gzip stream. */
export type Compressors = Readonly<Record<Coding | "deflate", Compressor>>;

/** The lowest that still halves hex: what the next ones save costs more than it is worth. */
const LEVEL = 1;

/** One step on a thread takes what fills this: hex shrinks to less than half, most else to less. */
function chunkSize({ length }: Buffer): number {
  return Math.max(16_384, Math.ceil(length / 2));
}

export const COMPRESSORS: Compressors = {
  gzip: (plain, done) => gzip(plain, { level: LEVEL, chunkSize: chunkSize(plain) }, done),
  zstd: (plain, done) => {
    const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
    zstdCompress(plain, { params, chunkSize: chunkSize(plain) }, done);
  },
  br: (plain, done) => {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: LEVEL,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    };
    brotliCompress(plain, { params, chunkSize: chunkSize(plain) }, done);
  },
  deflate: (plain, done) => {
    const finishFlush = constants.Z_SYNC_FLUSH;
    deflateRaw(plain, { level: LEVEL, finishFlush, chunkSize: chunkSize(plain) }, done);
  },
};
