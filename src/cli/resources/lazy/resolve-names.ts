/** Puts whole IDs in the place of names and beginnings of IDs. What does not mean exactly one thing is refused before anything is done. */
import { ApiError, NetworkError, NotFoundError, type Problem, UsageError } from '../../../base/errors.ts';
import { shortener, shortLength } from '../../../base/short-id.ts';
import { didYouMean, nearestOf } from '../../../base/suggest.ts';
import { commandLine } from '../../framework/command-line.ts';
import type { NamingWord } from '../../framework/name-arguments.ts';
import { type ResolvedNames, wordKey } from '../../framework/resolved-names.ts';
import type { Deps, Globals } from '../../framework/types.ts';
import { type CatalogEntry, catalog, formatCandidate } from '../catalog.ts';
import { findResources, MAX_UNNAMED, type Match } from '../find-resource.ts';

/** Statuses of a service that does not let things be listed, or has no such list; an answer that is no list says as much. */
const UNLISTED = [403, 404, 405, 501];
const MAX_SUGGESTIONS = 3;

export interface ResolveOptions {
  readonly globals: Globals;
  /** `--ignore-missing`: a word that names nothing is no mistake. */
  readonly ignoresMissing: boolean;
}

/**
 * Resolves words to IDs. A word for a resource that the service cannot list is returned unchanged.
 *
 * @throws UsageError for a word that means several things, NotFoundError for one that means none; and as the client does
 */
export async function resolveNames(
  deps: Deps,
  words: readonly NamingWord[],
  { globals, ignoresMissing }: ResolveOptions,
): Promise<ResolvedNames> {
  const [ids, names] = [new Map<string, string>(), new Map<string, string>()];
  const unclear: UnresolvedWord[] = [];
  const unknown: string[] = [];
  for (const of of new Set(words.map((each) => each.of))) {
    const thing = catalog[of];
    const typed = new Set(words.filter((each) => each.of === of).map(({ word }) => word));
    for (const found of await findWithProgress(deps, thing, [...typed])) {
      const { word, matches, isComplete } = found;
      const [only] = matches;
      if (only === undefined && isComplete && ignoresMissing) unknown.push(word);
      else if (only === undefined || matches.length > 1 || isUncertain(found))
        unclear.push({ ...found, entry: thing });
      else {
        ids.set(wordKey(of, word), only.id);
        if (only.name !== undefined) names.set(only.id, only.name);
      }
    }
  }
  if (unclear.length > 0) throw toError(unclear, globals, deps.clock.now());
  return { ids, names, unknown };
}

async function findWithProgress(
  { client, terminal, clock, signal }: Deps,
  thing: CatalogEntry,
  words: readonly string[],
): Promise<readonly Match[]> {
  const api = await client();
  const spinner = terminal.spinner(`Looking up ${thing.plural}`);
  try {
    return await findResources(api, thing, words, { now: clock.now(), signal });
  } catch (error) {
    signal.throwIfAborted();
    const isUnlisted =
      error instanceof ApiError
        ? UNLISTED.includes(error.status)
        : error instanceof NetworkError && error.status;
    if (!isUnlisted) throw error;
    await spinner.stop();
    await terminal.warn(`sonde cannot list ${thing.plural}, so only full IDs work.`);
    return [];
  } finally {
    await spinner.stop();
  }
}

/** Whether something that was not listed may be meant as well: of long beginnings there is one alone. */
function isUncertain({ word, matches, isComplete }: Match): boolean {
  const id = matches[0]?.id.toLowerCase() ?? '';
  const start = word.toLowerCase();
  return !isComplete && id !== start && !(start.length >= shortLength(id) && id.startsWith(start));
}

/** A word that does not mean exactly one thing. */
interface UnresolvedWord extends Match {
  readonly entry: CatalogEntry;
}

const isUnknown = ({ matches }: Match): boolean => matches.length === 0;

const suggestNames = ({ word, candidates, entry }: UnresolvedWord): readonly string[] =>
  entry.isNamed === false
    ? []
    : nearestOf(
        word,
        candidates.flatMap(({ name }) => name ?? []),
        MAX_SUGGESTIONS,
      );

function toError(
  unclear: readonly UnresolvedWord[],
  globals: Globals,
  now: number,
): UsageError | NotFoundError {
  const commands = new Set(unclear.filter(isUnknown).map(({ entry }) => entry.command));
  const lists = [...commands].flatMap((command) =>
    command === undefined ? [] : `to list IDs, run: ${commandLine({ globals }, ...command.split(' '))}`,
  );
  const [first] = unclear;
  const isOne = first !== undefined && unclear.length === 1;
  const message = isOne
    ? formatMessage(first)
    : `${unclear.length} names are unknown or ambiguous; nothing was changed`;
  const details = isOne ? candidateDetails(first, now) : unclear.map(toProblem);
  const hints = [...(isOne ? formatHints(first) : []), ...lists];
  const told = { details, hint: hints.length > 0 ? hints.join('\n') : undefined };
  return unclear.every(isUnknown) ? new NotFoundError(message, told) : new UsageError(message, told);
}

function formatMessage({ word, matches, isComplete, entry }: UnresolvedWord): string {
  const { noun, plural } = entry;
  if (matches.length === 0) {
    const among = isComplete ? '' : ` among the newest ${MAX_UNNAMED}`;
    return `${noun} "${word}" not found${among}`;
  }
  if (matches.length === 1)
    return `"${word}" may be ambiguous: only the newest ${MAX_UNNAMED} ${plural} were searched`;
  const isName = matches[0]?.name?.toLowerCase() === word.toLowerCase();
  return isName
    ? `"${word}" is ambiguous: ${matches.length} ${plural} have this name`
    : `"${word}" is ambiguous: ${matches.length} ${plural} have an ID with this prefix`;
}

/** What an ambiguous word may mean. */
function candidateDetails({ matches }: UnresolvedWord, now: number): readonly Problem[] {
  if (matches.length < 2) return [];
  const short = shortener(matches.map(({ id }) => id));
  return matches.map((each) => ({ place: short(each.id), message: formatCandidate(each, now) }));
}

function formatHints(unclear: UnresolvedWord): readonly string[] {
  const { matches, isComplete } = unclear;
  if (matches.length > 1) return ['pass one of these IDs instead'];
  if (!isComplete) return ['pass the full ID'];
  const near = suggestNames(unclear);
  return near.length > 0 ? [didYouMean(...near.map((name) => `"${name}"`))] : [];
}

/** One of several words that are not clear, in a line. */
function toProblem(unclear: UnresolvedWord): Problem {
  const { word, matches, entry } = unclear;
  const [near] = isUnknown(unclear) ? suggestNames(unclear) : [];
  const short = shortener(matches.map(({ id }) => id));
  const message =
    matches.length === 0
      ? `matches no ${entry.noun}`
      : matches.length === 1
        ? `may match several ${entry.plural}`
        : `matches ${matches.length} ${entry.plural}: ${matches.map(({ id }) => short(id)).join(', ')}`;
  return { place: `"${word}"`, message, ...(near === undefined ? {} : { nearest: `"${near}"` }) };
}
