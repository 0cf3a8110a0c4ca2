/** Finds the command's name on a command line; flags may come before and between its words. */

export interface KnownCommands {
  /** Names of commands: `sessions get`, `login`. */
  readonly names: readonly string[];
  /** Global flags with a value: `--profile`, `-o`. */
  readonly flagsWithValue: readonly string[];
}

export interface ResolvedCommand {
  /** The command; undefined if the words name none. */
  readonly name: string | undefined;
  /** The words in the position of the name, at most two. */
  readonly words: readonly string[];
  /** The line without the command's name. */
  readonly rest: readonly string[];
}

/** Finds the command. Reads `help sessions get` as `sessions get --help`. */
export function resolveCommand(
  argv: readonly string[],
  { names, flagsWithValue }: KnownCommands,
): ResolvedCommand {
  const words: string[] = [];
  const rest: string[] = [];
  let isHelp = false;
  let index = 0;
  for (; index < argv.length; index++) {
    const word = argv[index] ?? '';
    if (word === '--') break;
    if (word.startsWith('-') && word !== '-') {
      rest.push(word);
      const value = argv[index + 1];
      if (flagsWithValue.includes(word) && value !== undefined) {
        rest.push(value);
        index++;
      }
    } else if (word === 'help' && words.length === 0) {
      isHelp = true;
    } else {
      words.push(word);
      const name = words.join(' ');
      if (names.includes(name)) {
        rest.push(...argv.slice(index + 1), ...(isHelp ? ['--help'] : []));
        return { name, words, rest };
      }
      if (words.length === 2 || !names.some((known) => known.startsWith(`${name} `))) {
        index++;
        break;
      }
    }
  }
  rest.push(...argv.slice(index), ...(isHelp ? ['--help'] : []));
  return { name: undefined, words, rest };
}

/** Returns whether the line contains `--help`, even after a flag that needs a value. */
export function isHelpRequested(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === '--help' || word === '-h');
}
