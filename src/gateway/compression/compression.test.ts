import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { asBytes, type Piece } from "../../lib/bytes.ts";
import { LargeBuffers } from "../../wire/bytes/large-buffers.ts";
import { Compression, type Encoded } from "./compression.ts";
import { COMPRESSORS, type Compressor, type Compressors } from "./compressors.ts";

const largeBuffers = new LargeBuffers();

afterEach(() => vi.restoreAllMocks());

const HEAD = '{"jsonrpc":"2.0","id":7,"result":';
const TEXT = `"0x${"0123456789abcdef".repeat(6000)}"`;
const joined = (pieces: readonly Piece[]): Buffer => Buffer.concat(pieces.map(asBytes));
const answerTo = (result: Buffer): readonly Piece[] => [HEAD, result, "}"];
const ANSWER = `${HEAD}${TEXT}}`;

function encode(compression: Compression, pieces: readonly Piece[], accepted: string) {
  return new Promise<Encoded>((resolve) => compression.encode(pieces, accepted, resolve));
}

/** As the real ones, but ends only when it is told to, and counts. */
function held() {
  const ends: (() => void)[] = [];
  const used = { deflate: 0, gzip: 0, zstd: 0, br: 0 };
  const hold =
    (name: keyof Compressors): Compressor =>
    (plain, done) => {
      used[name] += 1;
      ends.push(() => COMPRESSORS[name](plain, done));
    };
  const compressors = {
    ...{ deflate: hold("deflate"), gzip: hold("gzip") },
    ...{ zstd: hold("zstd"), br: hold("br") },
  };
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  return { compressors, used, endAll, begun: () => ends.length };
}

describe("an answer is unpacked to the very same bytes", () => {
  const unpack = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

  test.each(["gzip", "br", "zstd"] as const)("%s, of any pieces, time after time", async (name) => {
    const compression = new Compression(largeBuffers);
    const result = Buffer.from(TEXT);
    const parts = [HEAD, result.subarray(0, 50_000), result.subarray(50_000), "}"];
    for (const pieces of [answerTo(result), answerTo(result), answerTo(result), parts, [ANSWER]]) {
      const { pieces: encoded, coding } = await encode(compression, pieces, name);
      expect(coding).toBe(name);
      expect(unpack[name](joined(encoded)).toString("latin1")).toBe(ANSWER);
      expect(joined(encoded).length).toBeLessThan(3000);
    }
  });

  test("with ids of any length", async () => {
    const compression = new Compression(largeBuffers);
    const result = Buffer.from(TEXT);
    for (const length of [1, 60_000, 70_000, 2]) {
      const head = `{"jsonrpc":"2.0","id":"${"i".repeat(length)}","result":`;
      const { pieces } = await encode(compression, [head, result, "}"], "gzip");
      expect(gunzipSync(joined(pieces)).toString()).toBe(`${head}${TEXT}}`);
    }
  });
});

describe("what comes again", () => {
  test("is deflated at its second use where the first was cheaper otherwise, then only spliced", async () => {
    const { compressors, used, endAll } = held();
    const compression = new Compression(largeBuffers, compressors);
    const result = Buffer.from(TEXT);
    const accepted = "gzip, br, zstd";
    const codings: (string | undefined)[] = [];
    for (let times = 0; times < 5; times++) {
      compression.encode(answerTo(result), accepted, ({ coding }) => codings.push(coding));
      endAll();
      await vi.waitFor(() => expect(codings).toHaveLength(times + 1), { interval: 1 });
    }
    expect(codings).toEqual(["zstd", "gzip", "gzip", "gzip", "gzip"]);
    expect(used).toEqual({ zstd: 1, deflate: 1, gzip: 0, br: 0 });
    // At once, as what is not compressed.
    const done = vi.fn();
    compression.encode(answerTo(result), "gzip", done);
    expect(done).toHaveBeenCalledTimes(1);
  });

  test("is deflated once for many at a time, by the first of them", async () => {
    const { compressors, used, endAll } = held();
    const compression = new Compression(largeBuffers, compressors);
    const result = Buffer.from(TEXT);
    const answers = Array.from({ length: 50 }, () => encode(compression, answerTo(result), "gzip"));
    endAll();
    for (const { pieces, coding } of await Promise.all(answers)) {
      expect(coding).toBe("gzip");
      expect(gunzipSync(joined(pieces)).toString()).toBe(ANSWER);
    }
    expect(used).toMatchObject({ deflate: 1, gzip: 0 });
  });

  test("of a client that does not take gzip is compressed each time", async () => {
    const compression = new Compression(largeBuffers);
    const result = Buffer.from(TEXT);
    for (let times = 0; times < 3; times++) {
      expect((await encode(compression, answerTo(result), "br")).coding).toBe("br");
    }
  });
});

describe("the plain bytes go out", () => {
  test("at once where nobody asks for another coding", () => {
    const pieces = answerTo(Buffer.from(TEXT));
    const done = vi.fn();
    new Compression(largeBuffers).encode(pieces, undefined, done);
    new Compression(largeBuffers).encode(pieces, "identity;q=0, deflate", done);
    expect(done.mock.calls).toEqual([[{ pieces }], [{ pieces }]]);
    expect(done.mock.calls[0]?.[0].pieces).toBe(pieces);
  });

  const fails: Compressor = (_, done) => setImmediate(done, new Error("broken"), Buffer.alloc(0));
  const throws: Compressor = () => {
    throw new Error("no memory");
  };
  test.each([fails, throws])("where the compressor fails, %o", async (broken) => {
    const compressors = { gzip: broken, br: broken, zstd: broken, deflate: broken };
    const compression = new Compression(largeBuffers, compressors);
    const result = Buffer.from(TEXT);
    // More than would be let through if a failure kept its turn.
    for (let times = 0; times < 5; times++) {
      for (const accepted of ["gzip", "zstd"]) {
        const { pieces, coding } = await encode(compression, answerTo(result), accepted);
        expect([joined(pieces).toString(), coding]).toEqual([ANSWER, undefined]);
      }
    }
  });

  test("beyond so many bytes at a time; at most two are compressed at once", async () => {
    const { compressors, endAll, begun } = held();
    const compression = new Compression(largeBuffers, compressors);
    const codings: (string | undefined)[] = [];
    const large = Buffer.alloc(3 * 1024 * 1024, "a");
    const ask = () => {
      compression.encode([large, "b"], "zstd", ({ coding }) => codings.push(coding));
    };
    for (let times = 0; times < 12; times++) ask();
    expect([codings, begun()]).toEqual([[undefined, undefined], 2]);
    while (codings.length < 12) {
      expect(begun()).toBeLessThanOrEqual(2);
      endAll();
      await new Promise(setImmediate);
    }
    expect(codings.filter((coding) => coding === "zstd")).toHaveLength(10);
    ask();
    endAll();
    await vi.waitFor(() => expect(codings.at(12)).toBe("zstd"));
  });
});

describe("memory of a node's answer", () => {
  const lent = () => {
    const buffer = largeBuffers.take(TEXT.length);
    buffer.write(TEXT, "latin1");
    return buffer;
  };
  const isUsedAgain = ({ buffer }: Buffer) => largeBuffers.take(TEXT.length).buffer === buffer;

  test("is used again once it is deflated, and not before", async () => {
    const { compressors, endAll } = held();
    const original = lent();
    const encoded = encode(new Compression(largeBuffers, compressors), answerTo(original), "gzip");
    expect(isUsedAgain(original)).toBe(false);
    endAll();
    const { pieces } = await encoded;
    expect(isUsedAgain(original)).toBe(true);
    original.fill(0);
    expect(gunzipSync(joined(pieces)).toString()).toBe(ANSWER);
  });

  test("is used again once its copy was taken, the copy's once it is compressed", async () => {
    const givenBack = vi.spyOn(largeBuffers, "giveBack");
    const original = lent();
    const { pieces } = await encode(new Compression(largeBuffers), answerTo(original), "zstd");
    expect(givenBack).toHaveBeenCalledTimes(2);
    expect(givenBack.mock.calls[0]?.[0]).toBe(original);
    const [[, copy]] = [givenBack.mock.calls.map(([buffer]) => buffer)];
    expect(copy !== undefined && isUsedAgain(copy)).toBe(true);
    expect(isUsedAgain(original)).toBe(true);
    expect(zstdDecompressSync(joined(pieces)).toString()).toBe(ANSWER);
  });

  test("may be overwritten as soon as it is given back, whatever becomes of compressing", async () => {
    for (const outcome of ["broken", undefined]) {
      const original = lent();
      const zstd: Compressor = (plain, done) => {
        expect(isUsedAgain(original)).toBe(true);
        original.fill(0);
        if (outcome === undefined) COMPRESSORS.zstd(plain, done);
        else setImmediate(done, new Error(outcome), plain);
      };
      const compression = new Compression(largeBuffers, { ...COMPRESSORS, zstd });
      const { pieces, coding } = await encode(compression, answerTo(original), "zstd");
      const bytes = joined(pieces);
      expect((coding === undefined ? bytes : zstdDecompressSync(bytes)).toString()).toBe(ANSWER);
    }
  });

  test("is not used again while it may be read for another client", async () => {
    const compression = new Compression(largeBuffers);
    const original = lent();
    largeBuffers.keep(original);
    for (let times = 0; times < 3; times++) {
      await encode(compression, answerTo(original), "gzip");
      expect(isUsedAgain(original)).toBe(false);
    }
  });
});
