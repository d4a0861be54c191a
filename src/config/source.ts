import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { Path } from "./faults.ts";
import { expandVariables } from "./variables.ts";
import { syntaxMessage } from "./yaml-messages.ts";

/** A fault before the line of its path is known. */
export type Finding = { readonly path: Path; readonly message: string; readonly line?: number };

/** A YAML text as plain values, its variables filled in, with where each value stood. */
export type Source = {
  readonly value: unknown;
  readonly findings: readonly Finding[];
  /** False: the text is no YAML, and `value` means nothing. */
  readonly readable: boolean;
  /** The line of a path, or of the nearest part around it that the file has; from 1. */
  readonly lineOf: (path: Path) => number;
  /** Whether the value is one variable and nothing else. */
  readonly isWhole: (path: Path) => boolean;
  /** Whether a variable had a part in the value, which must not be shown then. */
  readonly isSecret: (path: Path) => boolean;
  /** Whether the value could not be made out, so that nothing more can be said of it. */
  readonly isUnfilled: (path: Path) => boolean;
};

/** More than any real file has; aliases could otherwise multiply without end. */
const MAX_VALUES = 50_000;
const MAX_DEPTH = 32;

export function readSource(text: string, environment: NodeJS.ProcessEnv): Source {
  const lines = new LineCounter();
  const reader = new Reader(lines, environment);
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false, // the pretty ones quote the file
      uniqueKeys: false, // found by the reader, which knows the path
    });
    // After an error of syntax the rest is read wrongly: only the first one is a fault of its own.
    for (const error of [...document.errors.slice(0, 1), ...document.warnings]) {
      const { line } = lines.linePos(error.pos[0]);
      reader.findings.push({ path: [], line, message: syntaxMessage(error) });
    }
    reader.resolve = (node) => (isAlias(node) ? node.resolve(document) : node);
    if (reader.findings.length > 0) return reader.result(undefined, false);
    return reader.result(reader.read(document.contents, [], []), true);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    reader.findings.push({ path: [], message: "is nested too deeply" });
    return reader.result(undefined, false);
  }
}

const key = (path: Path): string => JSON.stringify(path);

class Reader {
  readonly findings: Finding[] = [];
  resolve: (node: Node) => Node | undefined = (node) => node;
  readonly #counter: LineCounter;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #lines = new Map<string, number>();
  readonly #whole = new Set<string>();
  readonly #secret = new Set<string>();
  readonly #unfilled = new Set<string>();
  #values = 0;

  constructor(counter: LineCounter, environment: NodeJS.ProcessEnv) {
    this.#counter = counter;
    this.#environment = environment;
  }

  result(value: unknown, readable: boolean): Source {
    const lineOf = (path: Path): number => {
      for (let length = path.length; length > 0; length -= 1) {
        const line = this.#lines.get(key(path.slice(0, length)));
        if (line !== undefined) return line;
      }
      return readable ? 1 : 0;
    };
    return {
      value,
      findings: this.findings,
      readable,
      lineOf,
      isWhole: (path) => this.#whole.has(key(path)),
      isSecret: (path) => this.#secret.has(key(path)),
      isUnfilled: (path) => this.#unfilled.has(key(path)),
    };
  }

  /** The value of a node; `around` are the nodes it stands in, which an alias may not repeat. */
  read(node: Node | null | undefined, path: Path, around: readonly Node[]): unknown {
    this.#mark(path, node);
    const target = node ? this.resolve(node) : undefined;
    this.#values += 1;
    if (this.#values > MAX_VALUES) {
      if (this.#values > MAX_VALUES + 1) return undefined; // one fault says it
      return this.#refuse(path, `is value ${this.#values} of the file, aliases counted; use fewer`);
    }
    if (around.length > MAX_DEPTH) return this.#refuse(path, "is nested too deeply");
    if (node && (!target || around.includes(target))) {
      return this.#refuse(path, "is an alias (*) of nothing, or of itself; put a text in quotes");
    }
    if (isSeq(target)) {
      const items = target.items as (Node | null)[];
      return items.map((item, index) => this.read(item, [...path, index], [...around, target]));
    }
    if (isMap(target)) {
      const record: Record<string, unknown> = {};
      for (const { key: name, value } of target.items) {
        this.#member(record, {
          name,
          value: value as Node | null,
          path,
          around: [...around, target],
        });
      }
      return record;
    }
    const value = isScalar(target) ? target.value : null;
    return typeof value === "string" ? this.#expand(value, path) : value;
  }

  #member(record: Record<string, unknown>, member: Member): void {
    const { name, value, path, around } = member;
    const word = isScalar(name) ? String(name.value) : undefined;
    if (word === undefined || word === "__proto__") {
      this.findings.push({ path, message: "has a key that is no plain word" });
      return;
    }
    const inner = [...path, word];
    if (Object.hasOwn(record, word)) {
      const line = this.#line(name as Node);
      this.findings.push({ path: inner, message: "stands here twice; keep one", ...line });
      return;
    }
    record[word] = this.read(value, inner, around);
    this.#mark(inner, name as Node);
  }

  #expand(text: string, path: Path): string {
    const expansion = expandVariables(text, this.#environment);
    const where = key(path);
    if (expansion.whole) this.#whole.add(where);
    if (expansion.used) this.#secret.add(where);
    if (expansion.problems.length > 0) this.#unfilled.add(where);
    for (const message of expansion.problems) this.findings.push({ path, message });
    return expansion.text;
  }

  #refuse(path: Path, message: string): undefined {
    this.findings.push({ path, message });
    this.#unfilled.add(key(path));
    return undefined;
  }

  #mark(path: Path, node: Node | null | undefined): void {
    const { line } = this.#line(node);
    if (line !== undefined) this.#lines.set(key(path), line);
  }

  #line(node: Node | null | undefined): { line?: number } {
    return node?.range ? { line: this.#counter.linePos(node.range[0]).line } : {};
  }
}

type Member = {
  readonly name: unknown;
  readonly value: Node | null;
  readonly path: Path;
  readonly around: readonly Node[];
};
