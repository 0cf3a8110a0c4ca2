/** What is said of words that name no command and no topic, and what was probably meant. */
import { distance } from 'fastest-levenshtein';
import { UsageError } from '../../../base/errors.ts';
import { nearText } from '../../../base/phrases.ts';
import { names } from '../../generated/names.ts';
import { nounNames, verbsOf } from '../nouns.ts';
import { topicNames } from '../topics.ts';

/** More than these are listed by help. */
const MAX_SUGGESTIONS = 4;
/** What a word more than was typed costs, beside a letter that differs. */
const WORD_COST = 0.1;

/** Words that others have for a verb of ours. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ls: 'list',
  show: 'get',
  view: 'get',
  describe: 'get',
  add: 'create',
  new: 'create',
  rm: 'delete',
  remove: 'delete',
  trigger: 'run',
  exec: 'run',
};

/** `sessions` and `session`, `status-pages` and `status-page` are one word. */
const stem = (word: string): string => word.toLowerCase().replace(/(?<=\w{2})s$/, '');

const stemsOf = (words: string): readonly string[] => words.split(/[ -]/).map(stem);

/** How far two words are apart: 0 the same, undefined where neither can be meant by the other. */
function wordDistance(typed: string, known: string): number | undefined {
  const letters = distance(typed, known);
  return letters <= (typed.length < 4 ? 1 : Math.max(2, Math.floor(typed.length / 3))) ? letters : undefined;
}

/** How far what was typed is from a name, whatever the order of its words; undefined where a word fits none of the name's. */
function nameDistance(typed: readonly string[], name: string): number | undefined {
  const known = stemsOf(name);
  let cost = (known.length - typed.length) * WORD_COST;
  for (const word of typed) {
    const nearest = known.flatMap((other) => wordDistance(word, other) ?? []);
    if (nearest.length === 0) return undefined;
    cost += Math.min(...nearest);
  }
  // Of two that fit, the one whose words stand as they were typed.
  return known[0] === typed[0] ? cost - WORD_COST / 2 : cost;
}

/** The candidates that are nearest to what was typed, all that are as near. */
function nearestNames(words: readonly string[], candidates: readonly string[]): readonly string[] {
  const tries = [words.flatMap(stemsOf), words.flatMap((word) => stemsOf(SYNONYMS[word] ?? word))];
  const costs = candidates.flatMap((name) => {
    const fitting = tries.flatMap((typed) => nameDistance(typed, name) ?? []);
    return fitting.length > 0 ? [{ name, cost: Math.min(...fitting) }] : [];
  });
  const least = Math.min(...costs.map(({ cost }) => cost));
  return costs.filter(({ cost }) => cost - least < WORD_COST / 4).map(({ name }) => name);
}

/** The error for words that name no command; `asked`: they stood after `help`, where topics are known, too. */
export function unknownCommandError(words: readonly string[], asked: boolean): UsageError {
  const [noun = ''] = words;
  const isNoun = verbsOf(noun).length > 0;
  const typed = isNoun ? words.slice(0, 2) : words.slice(0, 1);
  const topics = topicNames.map((name) => `help ${name}`);
  const known = [...nounNames(), ...names];
  // The second word may be an argument: what fits both counts first.
  const both = words.length > 1 ? nearestNames(words.slice(0, 2), known) : [];
  const one = both.length === 0 && !isNoun ? nearestNames([noun], [...known, ...topicNames]) : [];
  const near = (both.length > 0 ? both : one).map((name) =>
    isTopicOnly(name) ? `sonde help ${name}` : `sonde ${name}`,
  );
  // Many that are as near are told by the help of what they have in common.
  const common = isNoun ? noun : near.length > MAX_SUGGESTIONS ? nounOfAll(near) : undefined;
  const help = common
    ? `to list the commands of ${common}, run: sonde ${common} --help`
    : `to list all commands${asked ? ' and topics' : ''}, run: sonde --help`;
  const hasTopics = asked && !isNoun;
  const what = hasTopics ? 'unknown command or topic' : 'unknown command';
  const shown = near.length <= MAX_SUGGESTIONS ? near : [];
  return new UsageError(`${what}: "${typed.join(' ')}"${nearText(...shown)}`, {
    details: [
      {
        place: typed.at(-1) ?? '',
        message: what,
        allowed: isNoun ? verbsOf(noun) : [...nounNames(), ...(asked ? topics : [])],
        ...(near[0] === undefined ? {} : { nearest: near[0] }),
      },
    ],
    hint: help,
  });
}

/** The noun that all lines begin with, if they do. */
function nounOfAll(lines: readonly string[]): string | undefined {
  const nouns = new Set(lines.map((line) => line.split(' ')[1]));
  return nouns.size === 1 ? [...nouns][0] : undefined;
}

const isTopicOnly = (name: string): boolean =>
  topicNames.some((topic) => topic === name) && !nounNames().includes(name);
