/** A text of the file with its variables filled in. */
export type Expansion = {
  readonly text: string;
  /** The text was one variable and nothing else, so it may stand for a number or a boolean. */
  readonly whole: boolean;
  /** Any part of it came from a variable: it must not be shown. */
  readonly used: boolean;
  /** The variables that could not be filled in. */
  readonly problems: readonly string[];
};

const FORM = `write it as \${NAME}, or $\${ for the characters themselves`;

/**
 * Fills `${NAME}` with the environment's values; `$${` stands for `${`. What is filled in is not
 * looked at again, and an empty variable counts as missing: an empty secret is never meant.
 */
export function expandVariables(source: string, environment: NodeJS.ProcessEnv): Expansion {
  const problems: string[] = [];
  let used = false;
  const text = source.replace(/\$\$\{|\$\{([^}]*)(\}?)/g, (match, name: string, end: string) => {
    if (match === "$${") return "${";
    if (end === "" || !/^[A-Za-z_]\w*$/.test(name)) {
      problems.push(`holds \${ without the name of a variable; ${FORM}`);
      return match;
    }
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined || value === "") {
      const state = value === undefined ? "not set" : "empty";
      problems.push(`the environment variable ${name} is ${state}; set it before the start`);
    }
    used = true;
    return value ?? match;
  });
  return { text, whole: /^\$\{[^}]*\}$/.test(source), used, problems };
}
