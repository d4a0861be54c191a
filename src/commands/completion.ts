import type { Command } from "commander";

/** A command or a group of them, with what may follow it: commands, or the choices for an argument. */
type Place = {
  /** The words to it, such as `accounts create`; empty: the program itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly (Word & { readonly takesValue: boolean })[];
};
type Word = { readonly word: string; readonly description: string };

const WRITERS = { bash: bashLines, zsh: zshLines, fish: fishLines };

export type Shell = keyof typeof WRITERS;
export const SHELLS = Object.keys(WRITERS) as readonly Shell[];

/** Options whose values are files or folders. */
const FILE_OPTIONS: ReadonlySet<string> = new Set(["--config", "--data", "--to", "--from"]);

/** `completion SHELL`: a script that completes the commands and options of `program`. */
export function completionScript(program: Command, shell: Shell): string {
  return WRITERS[shell](placesOf(program, [])).join("\n");
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const { commands, options, registeredArguments } = command;
  const choices = registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const own: Place = {
    path: path.join(" "),
    commands: [
      ...commands.map((one) => ({ word: one.name(), description: one.description() })),
      ...choices.map((word) => ({ word, description: "" })),
    ],
    options: options.flatMap(({ long, description, required }) =>
      long ? [{ word: long, description, takesValue: required }] : [],
    ),
  };
  return [own, ...commands.flatMap((one) => placesOf(one, [...path, one.name()]))];
}

const wordsOf = ({ commands, options }: Place): string =>
  [...commands, ...options].map(({ word }) => word).join(" ");

/** Patterns of a shell's `case`, for the place and what was typed before it. */
const pathCases = (places: readonly Place[]): string =>
  places.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`])).join("|");

const fileOptions = [...FILE_OPTIONS].join("|");

/** Lines of bash and zsh that bring `place` to what was typed before the word at hand. */
const placeLines = (
  places: readonly Place[],
  { words, first, current }: { words: string; first: number; current: string },
): readonly string[] => [
  `  for ((index = ${first}; index < ${current}; index++)); do`,
  `    next="\${place:+$place }\${${words}[index]}"`,
  '    case "$next" in',
  `      ${pathCases(places)}) place="$next" ;;`,
  "    esac",
  "  done",
];

/** Where it offers nothing, bash itself completes names of files. */
function bashLines(places: readonly Place[]): readonly string[] {
  return [
    "_tollgate() {",
    `  local word="\${COMP_WORDS[COMP_CWORD]}" place="" next index`,
    "  COMPREPLY=()",
    `  case "\${COMP_WORDS[COMP_CWORD-1]}" in`,
    `    ${fileOptions}) return ;;`,
    "  esac",
    ...placeLines(places, { words: "COMP_WORDS", first: 1, current: "COMP_CWORD" }),
    '  case "$place" in',
    ...places.map(
      (place) => `    "${place.path}") COMPREPLY=($(compgen -W "${wordsOf(place)}" -- "$word")) ;;`,
    ),
    "  esac",
    "}",
    "complete -o default -F _tollgate tollgate",
  ];
}

function zshLines(places: readonly Place[]): readonly string[] {
  return [
    "#compdef tollgate",
    "_tollgate() {",
    '  local place="" next',
    "  local -i index",
    `  case "\${words[CURRENT-1]}" in`,
    `    ${fileOptions}) _files; return ;;`,
    "  esac",
    ...placeLines(places, { words: "words", first: 2, current: "CURRENT" }),
    '  case "$place" in',
    ...places.map((place) => `    "${place.path}") compadd -- ${wordsOf(place)} ;;`),
    "  esac",
    "}",
    "compdef _tollgate tollgate",
  ];
}

function fishLines(places: readonly Place[]): readonly string[] {
  return [
    "complete -c tollgate -f",
    ...places.flatMap((place) => {
      const here = `-n '${fishCondition(place)}'`;
      return [
        ...place.commands.map(
          ({ word, description }) =>
            `complete -c tollgate ${here} -a ${word} -d ${shellQuoted(description)}`,
        ),
        ...place.options.map(({ word, description, takesValue }) => {
          const value = takesValue ? (FILE_OPTIONS.has(word) ? " -r -F" : " -x") : "";
          return `complete -c tollgate ${here} -l ${word.slice(2)}${value} -d ${shellQuoted(description)}`;
        }),
      ];
    }),
  ];
}

/** True where the words of the path were typed, and none of the commands that follow it. */
function fishCondition({ path, commands }: Place): string {
  const typed = path.split(" ").filter(Boolean);
  const seen = typed.map((word) => `__fish_seen_subcommand_from ${word}`);
  const following = commands.map(({ word }) => word).join(" ");
  const none = following === "" ? [] : [`not __fish_seen_subcommand_from ${following}`];
  return [...seen, ...none].join("; and ");
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;
