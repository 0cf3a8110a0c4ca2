/**
 * Declares a command as a commander `Command` and splits its command line into flags and arguments. Commander parses with
 * `parseOptions`, because `parse` stops at the first problem, and sonde reports all problems of a line at once and prompts for
 * missing values. Commander suggests a flag only within the text of its error, so the suggestions are ours.
 */
import { Argument, Command as Commander, CommanderError, Option, type ParseOptionsResult } from 'commander';
import type { Problem } from '../../base/errors.ts';
import { NEEDS_VALUE, UNEXPECTED_ARGUMENT, UNKNOWN_FLAG } from '../../base/phrases.ts';
import { findNearest } from '../../base/suggest.ts';
import { type CommandSpec, type Flag, usageWords } from './command-spec.ts';
import type { Command, ResolvedNames } from './types.ts';

export interface TokenizedLine {
  /** Texts of each flag, by its camelCase name; a switch has `true` or `false`. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly arguments: readonly (string | readonly string[] | undefined)[];
  /** Unknown flags, missing values and unexpected arguments. */
  readonly problems: readonly Problem[];
  /** The resolved names and ID prefixes; undefined before they are resolved. */
  readonly resolved?: ResolvedNames;
}

/** Returns the command below the commands that its name begins with: `sonde`, `sessions`, `get`. Other commands are not declared. */
export function declareProgram(command: Command, spec: CommandSpec): Commander {
  let program = new Commander('sonde')
    .helpOption(false)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  for (const word of command.name.split(' ').filter(Boolean)) program = program.command(word);
  program
    .summary(command.summary)
    .description(command.description ?? '')
    .usage([...usageWords(spec), '[flags]'].join(' '));
  for (const option of spec.flags.flatMap(declareFlag)) program.addOption(option);
  for (const [index, [, { summary, variadic }]] of spec.arguments.entries()) {
    const word = usageWords(spec)[index]?.slice(1, -1).replace('…', '') ?? '';
    // Optional, because `readArguments` reports missing arguments together with all other problems.
    program.addArgument(new Argument(variadic ? `[${word}...]` : `[${word}]`, summary));
  }
  program.saveStateBeforeParse();
  return program;
}

function declareFlag({ flag, option: { short, takes, negative, placeholder, summary } }: Flag): Option[] {
  const flags = `${short ? `-${short}, ` : ''}--${flag}`;
  if (takes === 'nothing') {
    const on = new Option(flags, summary);
    const off = new Option(`--no-${flag}`, summary);
    return negative === 'only' ? [off] : negative === 'also' ? [on, off.hideHelp()] : [on];
  }
  const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
  return [new Option(`${flags} <${placeholder ?? 'text'}>`, summary).argParser(collect)];
}

const findSwitch = ({ options }: Commander, long: string): Option | undefined =>
  options.find((option) => option.long === long && !option.required && !option.optional);

/** The values of switches, as gh and kubectl accept them. */
const SWITCH_VALUE = /^(--[a-z][a-z0-9-]*)=(?:(true|t|1)|false|f|0)$/i;

/** Declares `--should-fail=false`, if the line has this word: commander knows no values of switches. */
function declareSwitchValue(program: Commander, word: string): void {
  const [, long = '', isTrue] = word.match(SWITCH_VALUE) ?? [];
  const target = findSwitch(program, long);
  if (target === undefined || program.options.some((option) => option.long === word)) return;
  const option = new Option(word).hideHelp();
  program.addOption(option);
  program.on(`option:${option.name()}`, () =>
    program.setOptionValueWithSource(target.attributeName(), (isTrue !== undefined) !== target.negate, 'cli'),
  );
}

/** Tokenizes a command line; `argv` excludes the command's name. Never throws for user input. */
export function tokenizeArgv(program: Commander, argv: readonly string[]): TokenizedLine {
  const problems: Problem[] = [];
  for (const word of new Set(argv)) declareSwitchValue(program, word);
  const { operands, unknown: rest } = parseFlags(program, argv, problems);
  const words = [...operands];
  let unknown = rest;
  while (unknown.length > 0) {
    const [word = '', ...others] = unknown;
    const place = word.split('=')[0] ?? word;
    const nearest = findNearest(
      place,
      program.options.map(({ long }) => long ?? '').filter((long) => !long.includes('=')),
    );
    problems.push(
      word.includes('=') && findSwitch(program, place)
        ? { place, message: `must be true or false, not "${word.slice(place.length + 1)}"` }
        : { place, message: UNKNOWN_FLAG, ...(nearest ? { nearest } : {}) },
    );
    const next = program.parseOptions(others);
    words.push(...next.operands);
    unknown = next.unknown;
  }
  const { registeredArguments: declared } = program;
  const line = {
    texts: textsOf(program),
    arguments: declared.map(({ variadic }, index) => (variadic ? words.slice(index) : words[index])),
    problems,
  };
  const excess = declared.at(-1)?.variadic ? [] : words.slice(declared.length);
  // The word after an unknown flag may be its value, not an unexpected argument.
  if (!hasUnknownFlag(line))
    problems.push(...excess.map((word) => ({ place: `"${word}"`, message: UNEXPECTED_ARGUMENT })));
  return line;
}

/** Returns whether the line has an unknown flag, so that the word after it may be its value. */
export const hasUnknownFlag = ({ problems }: Pick<TokenizedLine, 'problems'>): boolean =>
  problems.some(({ message }) => message === UNKNOWN_FLAG);

/** Parses the flags. Only the last word can be a flag without its value: it is reported and the rest parsed again. */
function parseFlags(program: Commander, argv: readonly string[], problems: Problem[]): ParseOptionsResult {
  try {
    program.restoreStateBeforeParse();
    return program.parseOptions([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError) || error.code !== 'commander.optionMissingArgument') throw error;
    const last = argv.at(-1) ?? '';
    const option = program.options.find(({ long, short }) =>
      last.startsWith('--') ? long === last : short === `-${last.at(-1)}`,
    );
    problems.push({ place: option?.long ?? last, message: NEEDS_VALUE });
    return parseFlags(program, argv.slice(0, -1), problems);
  }
}

function textsOf(program: Commander): TokenizedLine['texts'] {
  const typed = Object.entries(program.opts<Record<string, boolean | readonly string[]>>()).filter(
    ([name]) => program.getOptionValueSource(name) === 'cli' && !name.includes('='),
  );
  return new Map(typed.map(([name, value]) => [name, typeof value === 'boolean' ? [`${value}`] : value]));
}
