/** Lets Commander take a command line apart. It collects texts and judges no value. */
import {
  Command as Commander,
  CommanderError,
  Argument as PositionalArgument,
  Option as Switch,
} from 'commander';
import type { Problem } from '../../base/errors.ts';
import { NEEDS_VALUE, UNEXPECTED_ARGUMENT, UNKNOWN_FLAG } from '../../base/phrases.ts';
import { nearest } from '../../base/suggest.ts';
import { camel, kebab } from './request-fields.ts';
import type { Flag, Shape } from './command-spec.ts';
import type { ResolvedNames } from './resolved-names.ts';

/** What was typed, by camelCase name of the option. */
export interface Collected {
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly arguments: readonly (string | readonly string[] | undefined)[];
  /** What could not be understood: options that there are not, values that are missing, arguments too many. */
  readonly mistakes: readonly Problem[];
  /** What names and beginnings of IDs were resolved to; absent until they were. */
  readonly resolved?: ResolvedNames;
}

function switchesOf({ flag, option }: Flag, take: (flag: string, text: string) => void): Switch[] {
  const short = option.short ? `-${option.short}, ` : '';
  if (option.takes !== 'nothing') {
    return [new Switch(`${short}--${flag} <text>`).argParser((text: string) => take(flag, text))];
  }
  return [
    ...(option.negative === 'only' ? [] : [new Switch(`${short}--${flag}`)]),
    ...(option.negative ? [new Switch(`--no-${flag}`)] : []),
  ];
}

/**
 * Takes a command line apart; `argv` without the command's name. Never throws for what a user typed. What cannot be
 * understood is left out and the rest read again, so that everything that is wrong can be told at once.
 */
export function collect(name: string, shape: Shape, argv: readonly string[]): Collected {
  const mistakes: Problem[] = [];
  for (let rest = argv; ; ) {
    const texts = new Map<string, readonly string[]>();
    const program = programOf(name, shape, texts);
    try {
      program.parse([...rest], { from: 'user' });
      // What follows an unknown option may have been meant as its value: it is no argument too many.
      const read = { texts, arguments: program.processedArgs, mistakes };
      return hasUnknownOption(read) ? read : { ...read, mistakes: [...mistakes, ...tooMany(program, shape)] };
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      const { word, problem } = mistakeOf(error, shape, rest);
      mistakes.push(problem);
      const at = rest.indexOf(word);
      if (at < 0) return { texts, arguments: [], mistakes };
      rest = rest.toSpliced(at, 1);
    }
  }
}

/** Whether an option was given that there isn't: what stands beside it may then not be what it looks like. */
export const hasUnknownOption = ({ mistakes }: Collected): boolean =>
  mistakes.some(({ message }) => message === UNKNOWN_FLAG);

function programOf(name: string, shape: Shape, texts: Map<string, readonly string[]>): Commander {
  const add = (flag: string, text: string): void => {
    const key = camel(flag);
    texts.set(key, [...(texts.get(key) ?? []), text]);
  };
  const program = new Commander(name)
    .helpOption(false)
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .action(() => {});
  for (const flag of shape.flags) {
    for (const option of switchesOf(flag, add)) {
      program.addOption(option);
      // Commander keeps of a switch only what it came to; the event comes each time, in order.
      if (flag.option.takes === 'nothing') {
        program.on(`option:${option.name()}`, () => add(flag.flag, String(!option.negate)));
      }
    }
  }
  for (const [key, { variadic, placeholder }] of shape.arguments) {
    const word = `${placeholder ?? kebab(key)}${variadic ? '...' : ''}`;
    // Whether one is missing is said together with all else that is.
    program.addArgument(new PositionalArgument(`[${word}]`));
  }
  return program;
}

function tooMany(program: Commander, shape: Shape): readonly Problem[] {
  if (shape.arguments.some(([, { variadic }]) => variadic)) return [];
  return program.args
    .slice(shape.arguments.length)
    .map((word) => ({ place: `"${word}"`, message: UNEXPECTED_ARGUMENT }));
}

/** What Commander stumbled over: the word to leave out, and what is wrong with it. */
function mistakeOf(
  error: CommanderError,
  shape: Shape,
  argv: readonly string[],
): { readonly word: string; readonly problem: Problem } {
  const typed = error.message.match(/'([^']*)'/)?.[1] ?? '';
  switch (error.code) {
    case 'commander.unknownOption': {
      const place = typed.split('=')[0] ?? typed;
      const flags = shape.flags.flatMap(({ flag, option }) => [
        ...(option.negative === 'only' ? [] : [`--${flag}`]),
        ...(option.negative ? [`--no-${flag}`] : []),
      ]);
      const near = nearest(place, flags);
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
