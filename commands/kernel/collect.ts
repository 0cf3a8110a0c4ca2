/** Lets Commander take a command line apart. It collects texts and judges no value. */
import {
  Command as Commander,
  CommanderError,
  Argument as PositionalArgument,
  Option as Switch,
} from 'commander';
import type { Problem } from '../../src/base/errors.ts';
import { UsageError } from '../../src/base/errors.ts';
import { nearest } from '../../src/terminal/index.ts';
import { camel, kebab } from './fields.ts';
import type { Flag, Shape } from './shape.ts';

/** What was typed, by camelCase name of the option. */
export interface Collected {
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly arguments: readonly (string | readonly string[] | undefined)[];
  /** Where the line cannot be taken apart: what is there is then what came before the mistake. */
  readonly mistake: UsageError | undefined;
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

/** Takes a command line apart; `argv` without the command's name. Never throws for what a user typed. */
export function collect(name: string, shape: Shape, argv: readonly string[]): Collected {
  const texts = new Map<string, readonly string[]>();
  const add = (flag: string, text: string): void => {
    const key = camel(flag);
    texts.set(key, [...(texts.get(key) ?? []), text]);
  };
  const program = new Commander(name)
    .helpOption(false)
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
  try {
    program.parse([...argv], { from: 'user' });
    return { texts, arguments: program.processedArgs, mistake: undefined };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { texts, arguments: [], mistake: toUsageError(error, shape, argv) };
  }
}

function toUsageError(error: CommanderError, shape: Shape, argv: readonly string[]): UsageError {
  const typed = error.message.match(/'([^']*)'/)?.[1] ?? '';
  switch (error.code) {
    case 'commander.unknownOption': {
      const word = typed.split('=')[0] ?? typed;
      const flags = shape.flags.flatMap(({ flag, option }) => [
        ...(option.negative === 'only' ? [] : [`--${flag}`]),
        ...(option.negative ? [`--no-${flag}`] : []),
      ]);
      const near = nearest(word, flags);
      const problem: Problem = {
        place: word,
        message: 'is no option here',
        ...(near ? { nearest: near } : {}),
      };
      return new UsageError(`there is no option ${word} here`, {
        details: [problem],
        hint: near ? `did you mean ${near}?` : '--help lists the options',
      });
    }
    case 'commander.optionMissingArgument': {
      const flag = typed.match(/--[\w-]+/)?.[0] ?? typed;
      return new UsageError(`${flag} needs a value`, {
        details: [{ place: flag, message: 'needs a value' }],
      });
    }
    case 'commander.excessArguments':
      return new UsageError(
        `more arguments than are taken here: ${argv.filter((word) => !word.startsWith('-')).join(' ')}`,
        {
          hint: '--help shows what is taken',
        },
      );
    default:
      return new UsageError(error.message.replace(/^error: /, ''));
  }
}
