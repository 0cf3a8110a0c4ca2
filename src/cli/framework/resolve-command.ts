/** Finds a command's name among the words of a command line, where options may stand before and between. */

export interface Known {
  /** Names of commands: `sessions get`, `login`. */
  readonly names: readonly string[];
  /** Global options that take a value, as they are typed: `--profile`, `-o`. */
  readonly valued: readonly string[];
}

export interface Found {
  /** The command; undefined where the words name none. */
  readonly name: string | undefined;
  /** The words that stand where a name would, at most two. */
  readonly words: readonly string[];
  /** The line without the command's name. */
  readonly rest: readonly string[];
}

/** Finds the name. `help sessions get` is read as `sessions get --help`. */
export function findCommand(argv: readonly string[], { names, valued }: Known): Found {
  const words: string[] = [];
  const rest: string[] = [];
  let asked = false;
  let index = 0;
  for (; index < argv.length; index++) {
    const word = argv[index] ?? '';
    if (word === '--') break;
    if (word.startsWith('-') && word !== '-') {
      rest.push(word);
      const value = argv[index + 1];
      if (valued.includes(word) && value !== undefined) {
        rest.push(value);
        index++;
      }
    } else if (word === 'help' && words.length === 0) {
      asked = true;
    } else {
      words.push(word);
      const name = words.join(' ');
      if (names.includes(name)) {
        rest.push(...argv.slice(index + 1), ...(asked ? ['--help'] : []));
        return { name, words, rest };
      }
      if (words.length === 2 || !names.some((known) => known.startsWith(`${name} `))) {
        index++;
        break;
      }
    }
  }
  rest.push(...argv.slice(index), ...(asked ? ['--help'] : []));
  return { name: undefined, words, rest };
}

/** Whether help is asked for, wherever on the line: also where an option before it wants a value, and whatever else is wrong. */
export function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === '--help' || word === '-h');
}
