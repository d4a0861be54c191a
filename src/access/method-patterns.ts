/** The methods of an allow-list: names, and names with `*` for any characters (`eth_get*`). */
export type MethodPatterns = {
  readonly names: ReadonlySet<string>;
  /** The texts before, between and behind the stars. */
  readonly globs: readonly (readonly string[])[];
};

const FORM = /^[A-Za-z0-9_*]{1,100}$/;

export function isMethodPattern(text: string): boolean {
  return FORM.test(text);
}

export function compileMethodPatterns(entries: readonly string[]): MethodPatterns {
  const valid = entries.filter(isMethodPattern);
  return {
    names: new Set(valid.filter((entry) => !entry.includes("*"))),
    globs: valid.filter((entry) => entry.includes("*")).map((entry) => entry.split("*")),
  };
}

export function fitsMethod({ names, globs }: MethodPatterns, method: string): boolean {
  if (names.has(method)) return true;
  for (const glob of globs) if (fitsGlob(glob, method)) return true;
  return false;
}

/** Each piece is taken at its first place: with nothing but stars, no later place fits more. */
function fitsGlob(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (let place = 1; place < pieces.length - 1; place += 1) {
    const piece = pieces[place] ?? "";
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}
