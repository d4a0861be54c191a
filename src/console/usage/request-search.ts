import { type FileHandle, open } from "node:fs/promises";

/** Of the end of the file: the newest lines. A gigabyte is read in about a second. */
const MOST_BYTES = 1024 * 1024 * 1024;
const PIECE_BYTES = 4 * 1024 * 1024;
/** A batch has a line for each of its calls, all with one id. */
const MOST_LINES = 100;
const NEWLINE = 10;

/** A line of the request log (docs/operations.md). */
export type RequestLine = {
  readonly time: string;
  readonly requestId: string;
  readonly account: string;
  readonly keyId: string;
  readonly network: string;
  readonly method: string;
  readonly outcome: string;
  readonly credits: number;
  readonly upstream: string | null;
  readonly durationMs: number;
  readonly params?: unknown;
};

export type FoundRequests = {
  /** Newest first. */
  readonly lines: readonly RequestLine[];
  /** False: the file is longer than what was read, or there are more lines than are told. */
  readonly isWhole: boolean;
};

type Wanted = {
  readonly requestId: string;
  /** Only of this account. */
  readonly account?: string | undefined;
};

/**
 * The lines of the log that have this request id, from its end backwards.
 * @throws the system's error where the file cannot be read; a file that is not there has no lines
 */
export async function findRequests(
  path: string,
  wanted: Wanted,
  { mostBytes = MOST_BYTES, pieceBytes = PIECE_BYTES } = {},
): Promise<FoundRequests> {
  const file = await openedLog(path);
  if (file === undefined) return { lines: [], isWhole: true };
  try {
    const { size } = await file.stat();
    const lines: RequestLine[] = [];
    const oldest = Math.max(0, size - mostBytes);
    for await (const piece of piecesBackwards(file, { size, oldest, pieceBytes })) {
      lines.push(...linesIn(piece, wanted));
      if (lines.length > MOST_LINES) break;
    }
    const isWhole = oldest === 0 && lines.length <= MOST_LINES;
    return { lines: lines.slice(0, MOST_LINES), isWhole };
  } finally {
    await file.close();
  }
}

async function openedLog(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

type Bounds = { readonly size: number; readonly oldest: number; readonly pieceBytes: number };

/** Whole lines, the last piece of the file first. What is cut at its beginning goes to the piece before. */
async function* piecesBackwards(
  file: FileHandle,
  { size, oldest, pieceBytes }: Bounds,
): AsyncGenerator<Buffer> {
  let cut: Buffer = Buffer.alloc(0);
  for (let end = size; end > oldest; ) {
    const start = Math.max(oldest, end - pieceBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), { position: start });
    // The file was truncated meanwhile.
    if (bytesRead < end - start) return;
    const text = Buffer.concat([buffer, cut]);
    const first = start === 0 ? 0 : text.indexOf(NEWLINE) + 1;
    yield text.subarray(first);
    cut = text.subarray(0, first);
    end = start;
  }
}

function linesIn(text: Buffer, { requestId, account }: Wanted): RequestLine[] {
  const name = `"requestId":${JSON.stringify(requestId)}`;
  const found: RequestLine[] = [];
  let at = text.lastIndexOf(name);
  while (at >= 0) {
    const start = text.lastIndexOf(NEWLINE, at) + 1;
    const end = text.indexOf(NEWLINE, at);
    const line = end < 0 ? undefined : lineOf(text.toString("utf8", start, end));
    // Params may hold the same text.
    const isMeant = line?.requestId === requestId;
    if (isMeant && (account === undefined || line.account === account)) found.push(line);
    if (start === 0) break;
    at = text.lastIndexOf(name, start - 1);
  }
  return found;
}

function lineOf(text: string): RequestLine | undefined {
  try {
    return JSON.parse(text) as RequestLine;
  } catch {
    return undefined;
  }
}
