/** Runs a line without a command: prints the overview, the help of a noun or a topic, or suggestions for an unknown command. */

import { usageError } from '../../base/phrases.ts';
import { commandSpecOf } from '../framework/command-spec.ts';
import { argumentList } from '../framework/options.ts';
import type { TokenizedLine } from '../framework/program.ts';
import { isHelpRequested, resolveCommand } from '../framework/resolve-command.ts';
import type { Command, Host } from '../framework/types.ts';
import { manifest } from '../generated/manifest.ts';
import { flagsWithValue, names } from '../generated/names.ts';
import { formatNounHelp, formatOverview } from '../help/overview.ts';
import { isTopic } from '../help/topics.ts';
import { openTerminal, reportError } from './report-error.ts';

/** A command with only global options and words, to parse such a line. */
const root: Command = {
  name: '',
  summary: 'Synthetic monitoring from the command line',
  arguments: { words: argumentList('A command', { required: false }) },
  examples: [],
  run: async () => {},
};

/** Prints help or an error, and returns the exit code. A line without words prints help to stdout and returns 0, like gh. */
export async function runRootCommand(host: Host): Promise<number> {
  const { words, rest } = resolveCommand(host.argv, { names, flagsWithValue });
  const line = await tokenizeRootLine(rest);
  const terminal = openTerminal(host, line);
  try {
    const [word, second] = words;
    const hasVerbs = manifest.some(({ name }) => name.startsWith(`${word} `));
    if (word === undefined) {
      if (line.problems.length > 0 && !isHelpRequested(rest)) throw usageError(line.problems, 'sonde');
      await terminal.out(await formatOverview(terminal));
    } else if (hasVerbs && second === undefined) {
      await terminal.out(await formatNounHelp(word, terminal));
    } else if (isTopic(word) && isHelpRequested(rest)) {
      const { formatTopicPage } = await import('../help/lazy/topic-page.ts');
      await terminal.out(await formatTopicPage(word, host, terminal));
    } else {
      const { unknownCommandError } = await import('../help/lazy/unknown-command.ts');
      throw unknownCommandError(attemptedWords(host.argv, words), host.argv.includes('help'));
    }
    return 0;
  } catch (error) {
    return await reportError(error, terminal, { line, command: '', host });
  } finally {
    await terminal.close();
  }
}

/** Returns the words of an unknown command, including the word after an unknown first word. */
function attemptedWords(argv: readonly string[], words: readonly string[]): readonly string[] {
  if (words.length !== 1) return words;
  const [word = ''] = words;
  const next = argv[argv.indexOf(word) + 1];
  return next === undefined || next.startsWith('-') ? words : [word, next];
}

/** Tokenizes a line without a command. A line with only --help is common and needs no tokenizer. */
async function tokenizeRootLine(rest: readonly string[]): Promise<TokenizedLine> {
  if (rest.every((word) => word === '--help' || word === '-h')) {
    return { texts: new Map(), arguments: [], problems: [] };
  }
  const { declareProgram, tokenizeArgv } = await import('../framework/program.ts');
  return tokenizeArgv(declareProgram(root, commandSpecOf(root)), rest);
}
