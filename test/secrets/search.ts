import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { displayPrefix } from "../../src/access/api-key.ts";
import { PLACES } from "../support/run-folder.ts";
import { UPSTREAM_SECRET } from "../support/upstream-secret.ts";

/** Where a key is shown on purpose. */
type Shown = {
  /** Of the first lines of recorded texts: `COMMAND: STREAM (TEST FILE)`. */
  readonly where: RegExp;
  /** The words in which it may stand there, and nowhere else. */
  readonly words: RegExp;
  readonly why: string;
};

/** Of calls, and of the dashboard's API. */
const KEY = "tgt?_6[1-9A-HJ-NP-Za-km-z]{28}";
/** Of the commands that one line or script runs, any. */
const outputOf = (command: string) => new RegExp(`^(?:[^:]*, )?${command}(?:, [^:]*)?: stdout`);

const SHOWN: readonly Shown[] = [
  {
    where: outputOf("tollgate keys (?:create|rotate)"),
    words: new RegExp(`^ {2}${KEY}$|"key":"${KEY}"`, "gm"),
    why: "a new key is shown this once, to who made it: only its hash is kept",
  },
  {
    where: outputOf("(?:tollgate dev|npm start)"),
    words: new RegExp(
      `^(?:HTTP|WebSocket|API key|curl -s) .*?${KEY}|(?<=Provider|SolanaRpc|http)\\("http:\\S*${KEY}"`,
      "gm",
    ),
    why: "the demo key of `dev` is made for the lines that people paste; it ends with its gateway",
  },
];

/** Files that tests write for the program or its clients to read, secrets included. */
const INPUTS = new Set([".yaml", ".mjs"]);

/** What has to be among all that is searched, and how it is recognised. */
const KINDS = {
  "a database": "SQLite format 3\0",
  "a log": '"level":',
  metrics: "# TYPE tollgate_",
  "the refusal of a key": '"event":-33001',
} as const;

export type Searched = {
  readonly files: number;
  readonly bytes: number;
  readonly kinds: ReadonlySet<string>;
  readonly keys: number;
  /** What was found where it must not be, the text around it included. */
  readonly findings: readonly string[];
};

/** Searches all that is recorded below the folder of a run. */
export function searchRun(folder: string): Searched {
  const files = filesBelow(folder).filter((file) => file !== join(folder, PLACES.keys));
  const keys = issuedKeys(folder, files);
  const find = finder(keys);
  const kinds = new Set<string>();
  const findings: string[] = [];
  let bytes = 0;
  for (const file of files) {
    const { head, shown } = aboutFile(folder, file);
    for (const chunk of chunksOf(file)) {
      bytes += chunk.length;
      for (const [kind, mark] of Object.entries(KINDS)) if (chunk.includes(mark)) kinds.add(kind);
      const text = shown.reduce((rest, { words }) => rest.replace(words, "[shown]"), chunk);
      for (const at of find(text)) {
        const around = text.slice(Math.max(0, at - 80), at + 120);
        findings.push(`${head}: ${JSON.stringify(around)}`);
      }
    }
  }
  return { files: files.length, bytes, kinds, keys: keys.size, findings };
}

export const wanted = (): readonly string[] => Object.keys(KINDS);

/** Not behind links: they lead out of the folder, to what no test writes. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() && !INPUTS.has(extname(entry.name)) ? [path] : [];
  });
}

/** The first line of a recorded text says what it is; of other files, their path. */
function aboutFile(folder: string, file: string): { head: string; shown: readonly Shown[] } {
  const path = relative(folder, file);
  if (!path.startsWith(PLACES.texts)) return { head: path, shown: [] };
  const [start = ""] = chunksOf(file, 1000);
  const head = start.slice(0, start.indexOf("\n"));
  return { head, shown: SHOWN.filter(({ where }) => where.test(head)) };
}

/** Those that test helpers made, and those that the program has shown. */
function issuedKeys(folder: string, files: readonly string[]): Set<string> {
  const keys = new Set(readFileSync(join(folder, PLACES.keys), "latin1").split("\n"));
  keys.delete("");
  for (const file of files) {
    if (aboutFile(folder, file).shown.length === 0) continue;
    const text = readFileSync(file, "latin1");
    for (const [key] of text.matchAll(new RegExp(KEY, "g"))) keys.add(key);
  }
  return keys;
}

const CHUNK_BYTES = 4 * 1024 * 1024;
/** Longer than all that is looked for. */
const OVERLAP_BYTES = 512;

/** Binary strings; each begins with the end of the one before. */
function* chunksOf(file: string, maxBytes = CHUNK_BYTES): Generator<string> {
  const descriptor = openSync(file, "r");
  try {
    const buffer = Buffer.allocUnsafe(maxBytes);
    let position = 0;
    for (;;) {
      const size = readSync(descriptor, buffer, 0, maxBytes, position);
      if (size > 0) yield buffer.toString("latin1", 0, size);
      if (size < maxBytes) return;
      position += size - OVERLAP_BYTES;
    }
  } finally {
    closeSync(descriptor);
  }
}

/**
 * More of a key than its display, `tg_6abcd`; of any key, issued or not. It begins a word: within
 * random base64url, as that of a passkey's challenge, `tg_` comes up by chance.
 */
const KEY_OR_BEGINNING = /(?<![\w-])tg_[1-9A-HJ-NP-Za-km-z]{8,}/g;
const LOGIN_IN_URL = /[a-z]:\/\/[^\s"'/@:]{1,100}:[^\s"'/@]{1,100}@/g;
const PIECE = 12;
/** A key's piece is found if it is at least `PIECE + STEP - 1` characters long. */
const STEP = 5;

/** Gives a function that tells where in a text a key or an upstream's secret begins. */
function finder(keys: Iterable<string>): (text: string) => number[] {
  const pieces = new Set<string>();
  for (const key of keys) {
    const hidden = key.slice(displayPrefix(key).length);
    for (let at = 0; at + PIECE <= hidden.length; at += 1) pieces.add(hidden.slice(at, at + PIECE));
  }
  const secret = new RegExp(encodedForms(UPSTREAM_SECRET).join("|"), "g");
  return (text) => {
    const found = [KEY_OR_BEGINNING, LOGIN_IN_URL, secret].flatMap((pattern) =>
      Array.from(text.matchAll(pattern), ({ index }) => index),
    );
    for (let at = 0; at + PIECE <= text.length; at += STEP) {
      if (pieces.has(text.slice(at, at + PIECE))) found.push(at);
    }
    return found;
  };
}

/** As it is, in hex, and what base64 makes of it wherever it begins in a longer text. */
function encodedForms(secret: string): string[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const text = Buffer.from("x".repeat(before) + secret).toString("base64");
    // Without the characters that depend on what stands before and after.
    return text.slice(Math.ceil((before * 4) / 3), text.length - 4);
  });
  return [secret, Buffer.from(secret).toString("hex"), ...inBase64];
}
