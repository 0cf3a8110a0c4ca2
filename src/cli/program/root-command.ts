/** What runs where no command is named: the overview, the help of a noun, a topic, and "did you mean" for what there isn't. */

import { commandSpecOf } from '../framework/command-spec.ts';
import { argumentList } from '../framework/options.ts';
import { isHelpRequested, resolveCommand } from '../framework/resolve-command.ts';
import type { TokenizedLine } from '../framework/tokenize-argv.ts';
import type { Command, Host } from '../framework/types.ts';
import { usageError } from '../framework/usage-error.ts';
import { manifest } from '../generated/manifest.ts';
import { flagsWithValue, names } from '../generated/names.ts';
import { formatNounHelp, formatOverview } from '../help/overview.ts';
import { isTopic } from '../help/topics.ts';
import { openTerminal, reportError } from './report-error.ts';

/** The line without a command: its global options, and whatever words stand there. */
const root: Command = {
  name: '',
  summary: 'Synthetic monitoring from the command line',
  arguments: { words: argumentList('A command', { required: false }) },
  examples: [],
  run: async () => {},
};

/** Shows help, or says what was probably meant; gives the exit code. Without any word: help on stdout and 0, as gh does. */
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
      const { formatTopicPage: topicPage } = await import('../help/lazy/topic-page.ts');
      await terminal.out(await topicPage(word, host, terminal));
    } else {
      const { unknownCommandError: unknownCommand } = await import('../help/lazy/unknown-command.ts');
      throw unknownCommand(attemptedWords(host.argv, words), host.argv.includes('help'));
    }
    return 0;
  } catch (error) {
    return await reportError(error, terminal, { line, command: '', host });
  } finally {
    await terminal.close();
  }
}

/** The words that may have been meant for a name: also the one behind a first that begins no name. */
function attemptedWords(argv: readonly string[], found: readonly string[]): readonly string[] {
  if (found.length !== 1) return found;
  const [word = ''] = found;
  const next = argv[argv.indexOf(word) + 1];
  return next === undefined || next.startsWith('-') ? found : [word, next];
}

/** The options of a line without a command. That there are none but --help is common, and costs nothing then. */
async function tokenizeRootLine(rest: readonly string[]): Promise<TokenizedLine> {
  if (rest.every((word) => word === '--help' || word === '-h')) {
    return { texts: new Map(), arguments: [], problems: [] };
  }
  const { tokenizeArgv: collect } = await import('../framework/tokenize-argv.ts');
  return collect('sonde', commandSpecOf(root), rest);
}
