/** Resolves names and ID prefixes to IDs, before a command does anything. Rejects words that are unknown or ambiguous. */

import { ApiError, NetworkError, NotFoundError, type Problem, UsageError } from '../../../base/errors.ts';
import { createIdShortener, shortLength } from '../../../base/short-id.ts';
import { didYouMean, rankNearest } from '../../../base/suggest.ts';
import { type NameArgument, nameKey } from '../../framework/arguments.ts';
import { formatCommandLine } from '../../framework/format-command-line.ts';
import type { Deps, Globals, ResolvedNames } from '../../framework/types.ts';
import { type CatalogEntry, catalog, formatCandidate } from '../catalog.ts';
import { findResources, MAX_UNNAMED, type Match } from '../find-resources.ts';

/** Statuses of a service that has no such list or denies access to it. */
const UNLISTED = [403, 404, 405, 501];
const MAX_SUGGESTIONS = 3;

export interface ResolveOptions {
  readonly globals: Globals;
  /** `--ignore-missing`: an unknown word is not an error. */
  readonly ignoresMissing: boolean;
}

/**
 * Resolves words to IDs. A word for a resource that the service cannot list is returned unchanged.
 *
 * @throws UsageError for an ambiguous word, NotFoundError for an unknown one; and as the client does
 */
export async function resolveNames(
  deps: Deps,
  words: readonly NameArgument[],
  { globals, ignoresMissing }: ResolveOptions,
): Promise<ResolvedNames> {
  const [ids, names] = [new Map<string, string>(), new Map<string, string>()];
  const unresolved: UnresolvedWord[] = [];
  const unknown: string[] = [];
  for (const of of new Set(words.map((each) => each.of))) {
    const entry = catalog[of];
    const typed = new Set(words.filter((each) => each.of === of).map(({ word }) => word));
    for (const match of await findWithProgress(deps, entry, [...typed])) {
      const { word, matches, isComplete } = match;
      const [only] = matches;
      if (only === undefined && isComplete && ignoresMissing) unknown.push(word);
      else if (only === undefined || matches.length > 1 || isUncertain(match))
        unresolved.push({ ...match, entry });
      else {
        ids.set(nameKey(of, word), only.id);
        if (only.name !== undefined) names.set(only.id, only.name);
      }
    }
  }
  if (unresolved.length > 0) throw toError(unresolved, globals, deps.clock.now());
  return { ids, names, unknown };
}

async function findWithProgress(
  { client, terminal, clock, signal }: Deps,
  entry: CatalogEntry,
  words: readonly string[],
): Promise<readonly Match[]> {
  const api = await client();
  const spinner = terminal.spinner(`Looking up ${entry.plural}`);
  try {
    return await findResources(api, entry, words, { now: clock.now(), signal });
  } catch (error) {
    signal.throwIfAborted();
    const isUnlisted =
      error instanceof ApiError
        ? UNLISTED.includes(error.status)
        : error instanceof NetworkError && error.status;
    if (!isUnlisted) throw error;
    await spinner.stop();
    await terminal.warn(`sonde cannot list ${entry.plural}, so only full IDs work.`);
    return [];
  } finally {
    await spinner.stop();
  }
}

/** Whether an item that was not searched may match as well. A long ID prefix is unique. */
function isUncertain({ word, matches, isComplete }: Match): boolean {
  const id = matches[0]?.id.toLowerCase() ?? '';
  const start = word.toLowerCase();
  return !isComplete && id !== start && !(start.length >= shortLength(id) && id.startsWith(start));
}

/** A word that does not match exactly one resource. */
interface UnresolvedWord extends Match {
  readonly entry: CatalogEntry;
}

const isUnknown = ({ matches }: Match): boolean => matches.length === 0;

const suggestNames = ({ word, candidates, entry }: UnresolvedWord): readonly string[] =>
  entry.isNamed === false
    ? []
    : rankNearest(
        word,
        candidates.flatMap(({ name }) => name ?? []),
        MAX_SUGGESTIONS,
      );

function toError(
  unresolved: readonly UnresolvedWord[],
  globals: Globals,
  now: number,
): UsageError | NotFoundError {
  const commands = new Set(unresolved.filter(isUnknown).map(({ entry }) => entry.command));
  const lists = [...commands].flatMap((command) =>
    command === undefined ? [] : `to list IDs, run: ${formatCommandLine({ globals }, ...command.split(' '))}`,
  );
  const [first] = unresolved;
  const isOne = first !== undefined && unresolved.length === 1;
  const message = isOne
    ? formatMessage(first)
    : `${unresolved.length} names are unknown or ambiguous; nothing was changed`;
  const details = isOne ? candidateDetails(first, now) : unresolved.map(toProblem);
  const hints = [...(isOne ? formatHints(first) : []), ...lists];
  const context = { details, hint: hints.length > 0 ? hints.join('\n') : undefined };
  return unresolved.every(isUnknown) ? new NotFoundError(message, context) : new UsageError(message, context);
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

function candidateDetails({ matches }: UnresolvedWord, now: number): readonly Problem[] {
  if (matches.length < 2) return [];
  const short = createIdShortener(matches.map(({ id }) => id));
  return matches.map((each) => ({ place: short(each.id), message: formatCandidate(each, now) }));
}

function formatHints(unresolved: UnresolvedWord): readonly string[] {
  const { matches, isComplete } = unresolved;
  if (matches.length > 1) return ['pass one of these IDs instead'];
  if (!isComplete) return ['pass the full ID'];
  const near = suggestNames(unresolved);
  return near.length > 0 ? [didYouMean(...near.map((name) => `"${name}"`))] : [];
}

/** Describes one of several unresolved words in one line. */
function toProblem(unresolved: UnresolvedWord): Problem {
  const { word, matches, entry } = unresolved;
  const [near] = isUnknown(unresolved) ? suggestNames(unresolved) : [];
  const short = createIdShortener(matches.map(({ id }) => id));
  const message =
    matches.length === 0
      ? `matches no ${entry.noun}`
      : matches.length === 1
        ? `may match several ${entry.plural}`
        : `matches ${matches.length} ${entry.plural}: ${matches.map(({ id }) => short(id)).join(', ')}`;
  return { place: `"${word}"`, message, ...(near === undefined ? {} : { nearest: `"${near}"` }) };
}
