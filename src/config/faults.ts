/** Keys and positions from the top of the file, outermost first. */
export type Path = readonly (string | number)[];

/**
 * One thing wrong with a configuration file. `path` is as people write it
 * (`networks[1].upstreams[0].url`; empty: the file itself), `line` counts from 1 (0: no line).
 * `message` says what is wrong, then what would be right, and never holds a value of the file.
 */
export type Fault = { readonly path: string; readonly line: number; readonly message: string };

/** All that is wrong with one configuration file, in the order of its lines. */
export class ConfigError extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[], options?: ErrorOptions) {
    const sorted = faults.toSorted(
      (a, b) => a.line - b.line || a.path.localeCompare(b.path, "en", { numeric: true }),
    );
    const title = `the configuration has ${sorted.length === 1 ? "a fault" : `${sorted.length} faults`}`;
    super([`${title}:`, ...sorted.map((fault) => `  ${faultText(fault)}`)].join("\n"), options);
    this.name = "ConfigError";
    this.faults = sorted;
  }
}

/** One line for people: `networks[1].upstreams[0].url (line 14): …`. */
function faultText({ path, line, message }: Fault): string {
  const place = [path, line > 0 && (path === "" ? `line ${line}` : `(line ${line})`)];
  const words = place.filter((word) => word !== false && word !== "").join(" ");
  return words === "" ? message : `${words}: ${message}`;
}

/** A key that is no plain word may be a URL in the wrong place, so it is not shown. */
export function pathText(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (!/^[\w$-]{1,48}$/.test(step)) text += '["…"]';
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}
