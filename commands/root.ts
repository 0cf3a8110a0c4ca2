/** What runs where no command is named: the overview, the help of a noun, and "did you mean" for what there isn't. */
import { type Problem, UsageError } from '../src/base/errors.ts';
import { nearest, type Terminal } from '../src/terminal/index.ts';
import { manifest } from './generated/manifest.ts';
import { names, valued } from './generated/names.ts';
import type { Collected } from './kernel/collect.ts';
import { findCommand } from './kernel/find.ts';
import { flagRow, paragraph, type Row, section } from './kernel/help.ts';
import { argumentList } from './kernel/options.ts';
import { toError } from './kernel/problems.ts';
import { shapeOf } from './kernel/shape.ts';
import type { Command, Host } from './kernel/types.ts';
import { openTerminal, tell, wantsJsonErrors } from './report.ts';

/** The line without a command: its global options, and whatever words stand there. */
export const root: Command = {
  name: '',
  summary: 'Synthetic monitoring from the command line',
  arguments: { words: argumentList('A command') },
  examples: [
    { line: 'quickstart', does: 'walks through the main job on a service of its own' },
    { line: 'checks run --tag production', does: 'runs checks and waits for their verdict' },
    { line: 'sessions wait <id> --timeout 10m', does: 'waits for a session: exit 0 only if it passed' },
  ],
  run: async () => {},
};

/** Shows help, or says what was probably meant; gives the exit code. Without any word: help on stdout and 0, as gh does. */
export async function runRoot(host: Host): Promise<number> {
  const { words, rest } = findCommand(host.argv, { names, valued });
  const line = await lineOf(rest);
  const terminal = openTerminal(host, line);
  try {
    const [noun, verb] = words;
    const verbs = manifest.filter(({ name }) => name.startsWith(`${noun} `));
    if (noun === undefined) {
      if (line.mistakes.length > 0) throw toError(line.mistakes);
      await terminal.out(await overview(terminal));
    } else if (verbs.length > 0 && verb === undefined) {
      await terminal.out(await nounHelp(noun, terminal));
    } else {
      throw unknownCommand(words);
    }
    return 0;
  } catch (error) {
    return await tell(error, terminal, wantsJsonErrors(line), host);
  } finally {
    await terminal.close();
  }
}

/** The options of a line without a command. That there are none but --help is common, and costs nothing then. */
async function lineOf(rest: readonly string[]): Promise<Collected> {
  if (rest.every((word) => word === '--help' || word === '-h')) {
    return { texts: new Map(), arguments: [], mistakes: [] };
  }
  const { collect } = await import('./kernel/collect.ts');
  return collect('sonde', shapeOf(root), rest);
}

const nouns = (): string[] => [...new Set(manifest.map(({ name }) => name.split(' ')[0] ?? name))];

/** The error for words that name no command. */
function unknownCommand([noun = '', verb]: readonly string[]): UsageError {
  const verbs = names
    .filter((name) => name.startsWith(`${noun} `))
    .map((name) => name.slice(noun.length + 1));
  const [word, allowed] = verbs.length > 0 && verb !== undefined ? [verb, verbs] : [noun, nouns()];
  const near = nearest(word, allowed);
  const whole = verbs.length > 0 ? `${noun} ${near}` : [near, verb].filter(Boolean).join(' ');
  // A word that is close to no noun may be the verb of one: `sonde wait`.
  const elsewhere = names.filter((name) => name.endsWith(` ${word}`));
  const problem: Problem = {
    place: word,
    message: 'is no command',
    allowed,
    ...(near ? { nearest: near } : {}),
  };
  const hint = near
    ? `did you mean "sonde ${whole}"?`
    : elsewhere.length > 0
      ? `there is ${elsewhere.map((name) => `"sonde ${name}"`).join(', ')}`
      : `sonde ${verbs.length > 0 ? `${noun} ` : ''}--help lists the commands`;
  const said = verbs.length > 0 ? `${noun} ${word}` : word;
  return new UsageError(`there is no command "${said}"`, { details: [problem], hint });
}

async function overview(terminal: Terminal): Promise<string> {
  const styles = await terminal.styles('stdout');
  const width = widthOf(terminal);
  const rows = nouns().map((noun): Row => {
    const own = manifest.find(({ name }) => name === noun);
    const verbs = manifest.filter(({ name }) => name.startsWith(`${noun} `));
    return [noun, own ? own.summary : verbs.map(({ name }) => name.slice(noun.length + 1)).join(', ')];
  });
  const shape = shapeOf(root);
  const flags = (group: 'output' | 'global'): Row[] =>
    shape.flags.filter((flag) => flag.group === group).map(flagRow);
  return `${[
    paragraph(`${root.summary}.`, width),
    `${styles.bold('Usage:')} sonde <command> [options]`,
    section('Commands', rows, styles, width),
    section('Output', flags('output'), styles, width),
    section('Global options', flags('global'), styles, width),
    `${styles.bold('Examples:')}\n${root.examples.map(({ line, does }) => `  # ${does}\n  sonde ${line}`).join('\n\n')}`,
    paragraph(
      'sonde <command> --help tells more of each. Exit codes and streams are a contract: docs/commands.md.',
      width,
    ),
  ].join('\n\n')}\n`;
}

async function nounHelp(noun: string, terminal: Terminal): Promise<string> {
  const styles = await terminal.styles('stdout');
  const width = widthOf(terminal);
  const rows = manifest
    .filter(({ name }) => name.startsWith(`${noun} `))
    .map(({ name, summary }): Row => [name, summary]);
  return `${[
    `${styles.bold('Usage:')} sonde ${noun} <command> [options]`,
    section('Commands', rows, styles, width),
    `sonde ${noun} <command> --help tells more of each.`,
  ].join('\n\n')}\n`;
}

const widthOf = (terminal: Terminal): number => Math.min(terminal.stdoutIsTTY ? terminal.width : 80, 110);
