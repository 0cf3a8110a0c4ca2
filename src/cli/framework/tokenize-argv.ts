/** Splits a command line into flags and arguments with Commander. It validates no value. */
import {
  Command as Commander,
  CommanderError,
  Option as CommanderOption,
  Argument as PositionalArgument,
} from 'commander';
import type { Problem } from '../../base/errors.ts';
import { NEEDS_VALUE, UNEXPECTED_ARGUMENT, UNKNOWN_FLAG } from '../../base/phrases.ts';
import { findNearest } from '../../base/suggest.ts';
import type { CommandSpec, Flag } from './command-spec.ts';
import { camelCase, kebabCase } from './request-fields.ts';
import type { ResolvedNames } from './resolved-names.ts';

export interface TokenizedLine {
  /** Texts of each flag, by its camelCase name; a switch has `true` or `false`. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly arguments: readonly (string | readonly string[] | undefined)[];
  /** Unknown flags, missing values and unexpected arguments. */
  readonly problems: readonly Problem[];
  /** The resolved names and ID prefixes; undefined before they are resolved. */
  readonly resolved?: ResolvedNames;
}

function commanderOptions(
  { flag, option }: Flag,
  onText: (flag: string, text: string) => void,
): CommanderOption[] {
  const short = option.short ? `-${option.short}, ` : '';
  if (option.takes !== 'nothing') {
    return [new CommanderOption(`${short}--${flag} <text>`).argParser((text: string) => onText(flag, text))];
  }
  return [
    ...(option.negative === 'only' ? [] : [new CommanderOption(`${short}--${flag}`)]),
    ...(option.negative ? [new CommanderOption(`--no-${flag}`)] : []),
  ];
}

/**
 * Tokenizes a command line; `argv` excludes the command's name. Never throws for user input: it drops an invalid word and
 * reads the rest again, so that it reports all problems at once.
 */
export function tokenizeArgv(name: string, spec: CommandSpec, argv: readonly string[]): TokenizedLine {
  const problems: Problem[] = [];
  for (let rest = argv; ; ) {
    const texts = new Map<string, readonly string[]>();
    const program = createProgram(name, spec, texts);
    try {
      program.parse([...rest], { from: 'user' });
      const line = { texts, arguments: program.processedArgs, problems };
      // The word after an unknown flag may be its value, not an unexpected argument.
      if (!hasUnknownFlag(line)) problems.push(...excessArguments(program, spec));
      return line;
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      const { word, problem } = toProblem(error, spec, rest);
      problems.push(problem);
      const at = rest.indexOf(word);
      if (at < 0) return { texts, arguments: [], problems };
      rest = rest.toSpliced(at, 1);
    }
  }
}

/** Returns whether the line has an unknown flag, so that the word after it may be its value. */
export const hasUnknownFlag = ({ problems }: TokenizedLine): boolean =>
  problems.some(({ message }) => message === UNKNOWN_FLAG);

function createProgram(name: string, spec: CommandSpec, texts: Map<string, readonly string[]>): Commander {
  const add = (flag: string, text: string): void => {
    const key = camelCase(flag);
    texts.set(key, [...(texts.get(key) ?? []), text]);
  };
  const program = new Commander(name)
    .helpOption(false)
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .action(() => {});
  for (const flag of spec.flags) {
    for (const option of commanderOptions(flag, add)) {
      program.addOption(option);
      // Commander stores only the last value of a switch, but emits an event for each, in order.
      if (flag.option.takes === 'nothing') {
        program.on(`option:${option.name()}`, () => add(flag.flag, String(!option.negate)));
      }
    }
  }
  for (const [key, { variadic, placeholder }] of spec.arguments) {
    const word = `${placeholder ?? kebabCase(key)}${variadic ? '...' : ''}`;
    // Optional for Commander: `readArguments` reports missing arguments together with all other problems.
    program.addArgument(new PositionalArgument(`[${word}]`));
  }
  return program;
}

function excessArguments(program: Commander, spec: CommandSpec): readonly Problem[] {
  if (spec.arguments.some(([, { variadic }]) => variadic)) return [];
  return program.args
    .slice(spec.arguments.length)
    .map((word) => ({ place: `"${word}"`, message: UNEXPECTED_ARGUMENT }));
}

/** Returns the word that Commander rejected, and its problem. */
function toProblem(
  error: CommanderError,
  spec: CommandSpec,
  argv: readonly string[],
): { readonly word: string; readonly problem: Problem } {
  const typed = error.message.match(/'([^']*)'/)?.[1] ?? '';
  switch (error.code) {
    case 'commander.unknownOption': {
      const place = typed.split('=')[0] ?? typed;
      const flags = spec.flags.flatMap(({ flag, option }) => [
        ...(option.negative === 'only' ? [] : [`--${flag}`]),
        ...(option.negative ? [`--no-${flag}`] : []),
      ]);
      const near = findNearest(place, flags);
      return { word: typed, problem: { place, message: UNKNOWN_FLAG, ...(near ? { nearest: near } : {}) } };
    }
    case 'commander.optionMissingArgument': {
      const place = typed.match(/--[\w-]+/)?.[0] ?? typed;
      return { word: argv.at(-1) ?? '', problem: { place, message: NEEDS_VALUE } };
    }
    default:
      return {
        word: '',
        problem: { place: 'the command line', message: error.message.replace(/^error: /, '') },
      };
  }
}
