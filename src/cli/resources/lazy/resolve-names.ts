/** Puts whole IDs in the place of names and beginnings of IDs. What does not mean exactly one thing is refused before anything is done. */
import { ApiError, NetworkError, NotFoundError, type Problem, UsageError } from '../../../base/errors.ts';
import { createIdShortener, shortLength } from '../../../base/short-id.ts';
import { didYouMean, rankNearest } from '../../../base/suggest.ts';
import { formatCommandLine } from '../../framework/format-command-line.ts';
import type { NameArgument } from '../../framework/name-arguments.ts';
import { nameKey, type ResolvedNames } from '../../framework/resolved-names.ts';
import type { Deps, Globals } from '../../framework/types.ts';
import { labelOf, type Thing, things } from '../catalog.ts';
import { type Found, findThings, MOST_UNNAMED } from '../find-resource.ts';

/** Statuses of a service that does not let things be listed, or has no such list; an answer that is no list says as much. */
const UNLISTED = [403, 404, 405, 501];
const MOST_NEAR = 3;

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
  words: readonly NameArgument[],
  { globals, ignoresMissing }: ResolveOptions,
): Promise<ResolvedNames> {
  const [ids, names] = [new Map<string, string>(), new Map<string, string>()];
  const unclear: Unclear[] = [];
  const unknown: string[] = [];
  for (const of of new Set(words.map((each) => each.of))) {
    const thing = things[of];
    const typed = new Set(words.filter((each) => each.of === of).map(({ word }) => word));
    for (const found of await find(deps, thing, [...typed])) {
      const { word, meant, isComplete } = found;
      const [only] = meant;
      if (only === undefined && isComplete && ignoresMissing) unknown.push(word);
      else if (only === undefined || meant.length > 1 || isUnsure(found)) unclear.push({ ...found, thing });
      else {
        ids.set(nameKey(of, word), only.id);
        if (only.name !== undefined) names.set(only.id, only.name);
      }
    }
  }
  if (unclear.length > 0) throw errorOf(unclear, globals, deps.clock.now());
  return { ids, names, unknown };
}

async function find(
  { client, terminal, clock, signal }: Deps,
  thing: Thing,
  words: readonly string[],
): Promise<readonly Found[]> {
  const api = await client();
  const spinner = terminal.spinner(`Looking up ${thing.plural}`);
  try {
    return await findThings(api, thing, words, { now: clock.now(), signal });
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
function isUnsure({ word, meant, isComplete }: Found): boolean {
  const id = meant[0]?.id.toLowerCase() ?? '';
  const start = word.toLowerCase();
  return !isComplete && id !== start && !(start.length >= shortLength(id) && id.startsWith(start));
}

/** A word that does not mean exactly one thing. */
interface Unclear extends Found {
  readonly thing: Thing;
}

const isUnknown = ({ meant }: Found): boolean => meant.length === 0;

const nearNames = ({ word, candidates, thing }: Unclear): readonly string[] =>
  thing.isNamed === false
    ? []
    : rankNearest(
        word,
        candidates.flatMap(({ name }) => name ?? []),
        MOST_NEAR,
      );

function errorOf(unclear: readonly Unclear[], globals: Globals, now: number): UsageError | NotFoundError {
  const commands = new Set(unclear.filter(isUnknown).map(({ thing }) => thing.command));
  const lists = [...commands].flatMap((command) =>
    command === undefined ? [] : `to list IDs, run: ${formatCommandLine({ globals }, ...command.split(' '))}`,
  );
  const [first] = unclear;
  const isOne = first !== undefined && unclear.length === 1;
  const message = isOne
    ? messageOf(first)
    : `${unclear.length} names are unknown or ambiguous; nothing was changed`;
  const details = isOne ? candidatesOf(first, now) : unclear.map(problemOf);
  const hints = [...(isOne ? hintsOf(first) : []), ...lists];
  const told = { details, hint: hints.length > 0 ? hints.join('\n') : undefined };
  return unclear.every(isUnknown) ? new NotFoundError(message, told) : new UsageError(message, told);
}

function messageOf({ word, meant, isComplete, thing }: Unclear): string {
  const { noun, plural } = thing;
  if (meant.length === 0) {
    const among = isComplete ? '' : ` among the newest ${MOST_UNNAMED}`;
    return `${noun} "${word}" not found${among}`;
  }
  if (meant.length === 1)
    return `"${word}" may be ambiguous: only the newest ${MOST_UNNAMED} ${plural} were searched`;
  const isName = meant[0]?.name?.toLowerCase() === word.toLowerCase();
  return isName
    ? `"${word}" is ambiguous: ${meant.length} ${plural} have this name`
    : `"${word}" is ambiguous: ${meant.length} ${plural} have an ID with this prefix`;
}

/** What an ambiguous word may mean. */
function candidatesOf({ meant }: Unclear, now: number): readonly Problem[] {
  if (meant.length < 2) return [];
  const short = createIdShortener(meant.map(({ id }) => id));
  return meant.map((each) => ({ place: short(each.id), message: labelOf(each, now) }));
}

function hintsOf(unclear: Unclear): readonly string[] {
  const { meant, isComplete } = unclear;
  if (meant.length > 1) return ['pass one of these IDs instead'];
  if (!isComplete) return ['pass the full ID'];
  const near = nearNames(unclear);
  return near.length > 0 ? [didYouMean(...near.map((name) => `"${name}"`))] : [];
}

/** One of several words that are not clear, in a line. */
function problemOf(unclear: Unclear): Problem {
  const { word, meant, thing } = unclear;
  const [near] = isUnknown(unclear) ? nearNames(unclear) : [];
  const short = createIdShortener(meant.map(({ id }) => id));
  const message =
    meant.length === 0
      ? `matches no ${thing.noun}`
      : meant.length === 1
        ? `may match several ${thing.plural}`
        : `matches ${meant.length} ${thing.plural}: ${meant.map(({ id }) => short(id)).join(', ')}`;
  return { place: `"${word}"`, message, ...(near === undefined ? {} : { nearest: `"${near}"` }) };
}
