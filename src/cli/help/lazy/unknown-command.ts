/** Creates the error for an unknown command or topic, with suggestions. */
import { distance } from 'fastest-levenshtein';
import { UsageError } from '../../../base/errors.ts';
import { formatSuggestion } from '../../../base/phrases.ts';
import { names } from '../../generated/names.ts';
import { nounNames, verbsOf } from '../nouns.ts';
import { topicNames } from '../topics.ts';

/** The maximum number of suggestions; if there are more, the hint names a help page. */
const MAX_SUGGESTIONS = 4;
/** The distance of an additional word, relative to a different letter. */
const WORD_DISTANCE = 0.1;

/** Verbs of other command-line tools, with our verbs. */
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

/** Removes a plural s, so that `sessions` equals `session`. */
const stem = (word: string): string => word.toLowerCase().replace(/(?<=\w{2})s$/, '');

const stemsOf = (words: string): readonly string[] => words.split(/[ -]/).map(stem);

/** Returns the distance of two words: 0 if they are equal, undefined if they are too different. */
function wordDistance(typed: string, known: string): number | undefined {
  const letters = distance(typed, known);
  return letters <= (typed.length < 4 ? 1 : Math.max(2, Math.floor(typed.length / 3))) ? letters : undefined;
}

/** Returns the distance of the typed words from a name in any order; undefined if a word matches none of the name's. */
function nameDistance(typed: readonly string[], name: string): number | undefined {
  const known = stemsOf(name);
  let total = (known.length - typed.length) * WORD_DISTANCE;
  for (const word of typed) {
    const nearest = known.flatMap((other) => wordDistance(word, other) ?? []);
    if (nearest.length === 0) return undefined;
    total += Math.min(...nearest);
  }
  // Of two equal matches, prefers the one with the same first word.
  return known[0] === typed[0] ? total - WORD_DISTANCE / 2 : total;
}

/** Returns all candidates with the smallest distance from the typed words. */
function nearestNames(words: readonly string[], candidates: readonly string[]): readonly string[] {
  const variants = [words.flatMap(stemsOf), words.flatMap((word) => stemsOf(SYNONYMS[word] ?? word))];
  const matches = candidates.flatMap((name) => {
    const distances = variants.flatMap((typed) => nameDistance(typed, name) ?? []);
    return distances.length > 0 ? [{ name, total: Math.min(...distances) }] : [];
  });
  const smallest = Math.min(...matches.map(({ total }) => total));
  return matches.filter(({ total }) => total - smallest < WORD_DISTANCE / 4).map(({ name }) => name);
}

/** Creates the error for an unknown command. `isForHelp`: the words follow `help`, so they may also name a topic. */
export function unknownCommandError(words: readonly string[], isForHelp: boolean): UsageError {
  const [noun = ''] = words;
  const isNoun = verbsOf(noun).length > 0;
  const typed = isNoun ? words.slice(0, 2) : words.slice(0, 1);
  const topics = topicNames.map((name) => `help ${name}`);
  const known = [...nounNames(), ...names];
  // The second word may be an argument, so matches of both words take precedence.
  const both = words.length > 1 ? nearestNames(words.slice(0, 2), known) : [];
  const one = both.length === 0 && !isNoun ? nearestNames([noun], [...known, ...topicNames]) : [];
  const near = (both.length > 0 ? both : one).map((name) =>
    isTopicOnly(name) ? `sonde help ${name}` : `sonde ${name}`,
  );
  // For many suggestions, the hint names the help of their common noun.
  const commonNoun = isNoun ? noun : near.length > MAX_SUGGESTIONS ? commonNounOf(near) : undefined;
  const hint = commonNoun
    ? `to list the commands of ${commonNoun}, run: sonde ${commonNoun} --help`
    : `to list all commands${isForHelp ? ' and topics' : ''}, run: sonde --help`;
  const hasTopics = isForHelp && !isNoun;
  const problem = hasTopics ? 'unknown command or topic' : 'unknown command';
  const shown = near.length <= MAX_SUGGESTIONS ? near : [];
  return new UsageError(`${problem}: "${typed.join(' ')}"${formatSuggestion(...shown)}`, {
    details: [
      {
        place: typed.at(-1) ?? '',
        message: problem,
        allowed: isNoun ? verbsOf(noun) : [...nounNames(), ...(isForHelp ? topics : [])],
        ...(near[0] === undefined ? {} : { nearest: near[0] }),
      },
    ],
    hint,
  });
}

/** Returns the common noun of all lines, if any. */
function commonNounOf(lines: readonly string[]): string | undefined {
  const nouns = new Set(lines.map((line) => line.split(' ')[1]));
  return nouns.size === 1 ? [...nouns][0] : undefined;
}

const isTopicOnly = (name: string): boolean =>
  topicNames.some((topic) => topic === name) && !nounNames().includes(name);
