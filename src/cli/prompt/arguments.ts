/** Asks for arguments: which of the things that there are, the most recent first. */

import { ApiError, SondeError, UsageError } from '../../base/errors.ts';
import { EXIT } from '../../base/exits.ts';
import { REQUIRED_ARGUMENT } from '../../base/phrases.ts';
import { shortId } from '../../base/short-id.ts';
import type { Client } from '../../client/index.ts';
import {
  askChoice,
  askChoices,
  askText,
  type Choice,
  formatRelativeTime,
  type MoreChoices,
} from '../../terminal/index.ts';
import { placeOfArgument } from '../framework/command-spec.ts';
import type { Argument, Named, ThingName } from '../framework/options.ts';
import { readProfiles } from '../profiles/removal.ts';
import { type Candidate, type Thing, things } from '../resources/catalog.ts';
import { kindsOf, type Listing, listAllThings } from '../resources/fetch-resources.ts';
import type { Scene } from './context.ts';

/** The maximum number of choices that a list offers. */
const MOST = 10_000;

/** Asks for the argument of that key, and puts the answer into the line. */
export async function askArgument(scene: Scene, key: string): Promise<void> {
  const { shape, deps, draft } = scene;
  const [, argument] = shape.arguments.find(([name]) => name === key) ?? [];
  if (!argument) return;
  const place = placeOfArgument(key, argument);
  const question = { flag: place, signal: deps.signal };
  const type = async (): Promise<readonly string[]> => {
    const read = (typed: string) =>
      (argument.variadic ? typed.split(/[\s,]+/) : [typed.trim()]).filter(Boolean);
    const answer = await askText(deps.terminal, {
      ...question,
      message: `${idsOf(argument)}:`,
      validate: async (typed) =>
        read(typed).length === 0 ? 'A value is required' : draft.objectionTo(key, read(typed)),
    });
    return read(answer);
  };
  if (argument.allowed) {
    const choices = argument.allowed.map((word) => ({ value: word, name: word }));
    const chosen = await askChoice(deps.terminal, { ...question, message: `${argument.summary}:`, choices });
    return draft.giveArgument(key, [chosen]);
  }
  const enough = new AbortController();
  const offered = argument.of && (await offer(scene, argument.of, enough.signal));
  if (offered === undefined) return draft.giveArgument(key, await type());
  const { choices, more, noun, plural } = offered;
  if (choices.length === 0) {
    throw new UsageError(`no ${plural} to select from`, {
      details: [{ place, message: REQUIRED_ARGUMENT }],
    });
  }
  const given = { ...question, choices, more };
  try {
    const chosen = argument.variadic
      ? await askChoices(deps.terminal, { ...given, message: `Select ${plural}:`, required: true })
      : [
          await askChoice(deps.terminal, {
            ...given,
            message: `Select ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}:`,
          }),
        ];
    draft.giveArgument(key, chosen);
  } finally {
    enough.abort();
  }
}

/** What is typed, where nothing can be chosen. */
function idsOf({ of, variadic, summary }: Argument<unknown>): string {
  if (of === undefined || of === 'profile') return summary;
  const { noun, plural } = things[of];
  return variadic ? `IDs of ${plural}, separated by spaces` : `ID of the ${noun}`;
}

interface Offer {
  readonly noun: string;
  readonly plural: string;
  readonly choices: readonly Choice<string>[];
  /** Those behind these, which are listed while a person looks. */
  readonly more?: MoreChoices<string>;
}

/** Returns the choices; stops listing when `enough` is aborted. Undefined if they cannot be listed. */
async function offer(scene: Scene, of: Named, enough: AbortSignal): Promise<Offer | undefined> {
  if (of !== 'profile') return offerThings(scene, of, enough);
  const { profiles, current } = await readProfiles(scene.deps);
  const choices = [...profiles].map(([name, { baseUrl }]) => ({
    value: name,
    name,
    description: name === current ? `${baseUrl} (current)` : baseUrl,
  }));
  return { noun: 'profile', plural: 'profiles', choices };
}

async function offerThings(scene: Scene, of: ThingName, enough: AbortSignal): Promise<Offer | undefined> {
  const { deps } = scene;
  const { terminal, signal } = deps;
  const thing = things[of];
  const { noun, plural, within } = thing;
  let parent: string | undefined;
  if (within) {
    const around = await offerThings(scene, within.of, enough);
    if (around === undefined || around.choices.length === 0) return undefined;
    parent = await askChoice(terminal, {
      message: `Select the ${around.noun}:`,
      flag: `<${within.param}>`,
      signal,
      choices: around.choices,
      more: around.more,
    });
  }
  const client = await deps.client();
  const now = deps.clock.now();
  const spinner = terminal.spinner(`Loading ${plural}`);
  try {
    const listing = { now, parent, signal: AbortSignal.any([signal, enough]) };
    const pages = choicePages(client, thing, listing);
    const { value: first } = await pages.next();
    const choices = first?.choices ?? [];
    return { noun, plural, choices, ...(first?.more ? { more: choicesOf(pages) } : {}) };
  } catch (error) {
    signal.throwIfAborted();
    // Without a key nothing else will work either; a deployment that does not list is no reason to stop.
    if (!(error instanceof SondeError) || error.exitCode === EXIT.credentials) throw error;
    await spinner.stop();
    const why = error instanceof ApiError ? `cannot list ${plural}` : error.message;
    await terminal.note(`${why[0]?.toUpperCase()}${why.slice(1)}; enter an ID instead.`);
    return undefined;
  } finally {
    await spinner.stop();
  }
}

interface ChoicePage {
  readonly choices: readonly Choice<string>[];
  readonly more: boolean;
}

/** All that can be chosen, page by page; one without any is passed over. */
async function* choicePages(
  client: Client,
  thing: Thing,
  listing: Listing,
): AsyncGenerator<ChoicePage, void, undefined> {
  let left = MOST;
  const kinds = kindsOf(thing);
  for (const kind of kinds) {
    for await (const { candidates, more } of listAllThings(client, kind, listing)) {
      const choices = candidates.slice(0, left).map((candidate) => choiceOf(candidate, listing.now));
      left -= choices.length;
      if (choices.length > 0) yield { choices, more: left > 0 && (more || kind !== kinds.at(-1)) };
      if (left === 0) return;
    }
  }
}

async function* choicesOf(
  pages: AsyncIterable<ChoicePage>,
): AsyncGenerator<readonly Choice<string>[], void, undefined> {
  for await (const { choices } of pages) yield choices;
}

/** `FAILED Apex record`, and beside it `DNS, 3m ago, 0b5b2c1e`. */
function choiceOf({ id, name, status, notes, at }: Candidate, now: number): Choice<string> {
  const named = [status, name].filter((part) => part !== undefined).join(' ');
  const when = at === undefined ? [] : [formatRelativeTime(at, now)];
  return {
    value: id,
    name: named || id,
    description: [...notes, ...when, ...(named ? [shortId(id)] : [])].join(', '),
    search: id,
  };
}
