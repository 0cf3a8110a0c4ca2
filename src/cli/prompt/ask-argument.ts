/** Prompts for an argument with a list of existing resources, most recent first. */
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
import { argumentLabel } from '../framework/command-spec.ts';
import { sentenceCase } from '../framework/help-layout.ts';
import type { Argument, ArgumentTarget, ResourceName } from '../framework/options.ts';
import { readProfiles } from '../profiles/remove-profiles.ts';
import { type Candidate, type CatalogEntry, catalog } from '../resources/catalog.ts';
import { entriesOf, type ListOptions, listCandidatePages } from '../resources/find-resources.ts';
import type { PromptContext } from './draft.ts';

const MAX_CHOICES = 10_000;

/** Prompts for the argument with this key and sets it. */
export async function askArgument(context: PromptContext, key: string): Promise<void> {
  const { spec, deps, draft } = context;
  const [, argument] = spec.arguments.find(([name]) => name === key) ?? [];
  if (!argument) return;
  const place = argumentLabel(key, argument);
  const question = { flag: place, signal: deps.signal };
  const askForText = async (): Promise<readonly string[]> => {
    const split = (typed: string) =>
      (argument.variadic ? typed.split(/[\s,]+/) : [typed.trim()]).filter(Boolean);
    const answer = await askText(deps.terminal, {
      ...question,
      message: `${textPrompt(argument)}:`,
      validate: async (typed) =>
        split(typed).length === 0 ? 'A value is required' : draft.validateArgument(key, split(typed)),
    });
    return split(answer);
  };
  if (argument.allowed) {
    const choices = argument.allowed.map((word) => ({ value: word, name: word }));
    const chosen = await askChoice(deps.terminal, { ...question, message: `${argument.summary}:`, choices });
    return draft.setArgument(key, [chosen]);
  }
  const stopListing = new AbortController();
  const list = argument.of && (await listChoices(context, argument.of, stopListing.signal));
  if (list === undefined) return draft.setArgument(key, await askForText());
  const { choices, more, noun, plural } = list;
  if (choices.length === 0) {
    throw new UsageError(`no ${plural} to select from`, {
      details: [{ place, message: REQUIRED_ARGUMENT }],
    });
  }
  const options = { ...question, choices, more };
  try {
    const chosen = argument.variadic
      ? await askChoices(deps.terminal, { ...options, message: `Select ${plural}:`, required: true })
      : [
          await askChoice(deps.terminal, {
            ...options,
            message: `Select ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}:`,
          }),
        ];
    draft.setArgument(key, chosen);
  } finally {
    stopListing.abort();
  }
}

function textPrompt({ of, variadic, summary }: Argument<unknown>): string {
  if (of === undefined || of === 'profile') return summary;
  const { noun, plural } = catalog[of];
  return variadic ? `IDs of ${plural}, separated by spaces` : `ID of the ${noun}`;
}

interface ChoiceList {
  readonly noun: string;
  readonly plural: string;
  readonly choices: readonly Choice<string>[];
  /** Further choices, which are loaded while the user looks at the list. */
  readonly more?: MoreChoices<string>;
}

/** Returns the choices, or undefined if they cannot be listed. Stops listing when `stop` is aborted. */
async function listChoices(
  context: PromptContext,
  of: ArgumentTarget,
  stop: AbortSignal,
): Promise<ChoiceList | undefined> {
  if (of !== 'profile') return listResourceChoices(context, of, stop);
  const { profiles, current } = readProfiles(context.deps);
  const choices = [...profiles].map(([name, { baseUrl }]) => ({
    value: name,
    name,
    description: name === current ? `${baseUrl} (current)` : baseUrl,
  }));
  return { noun: 'profile', plural: 'profiles', choices };
}

async function listResourceChoices(
  context: PromptContext,
  of: ResourceName,
  stop: AbortSignal,
): Promise<ChoiceList | undefined> {
  const { deps } = context;
  const { terminal, signal } = deps;
  const thing = catalog[of];
  const { noun, plural, parent } = thing;
  let parentId: string | undefined;
  if (parent) {
    const parents = await listResourceChoices(context, parent.of, stop);
    if (parents === undefined || parents.choices.length === 0) return undefined;
    parentId = await askChoice(terminal, {
      message: `Select the ${parents.noun}:`,
      flag: `<${parent.param}>`,
      signal,
      choices: parents.choices,
      more: parents.more,
    });
  }
  const client = await deps.client();
  const now = deps.clock.now();
  const spinner = terminal.spinner(`Loading ${plural}`);
  try {
    const listing = { now, parentId, signal: AbortSignal.any([signal, stop]) };
    const pages = choicePages(client, thing, listing);
    const { value: first } = await pages.next();
    const choices = first?.choices ?? [];
    return { noun, plural, choices, ...(first?.more ? { more: choicesOf(pages) } : {}) };
  } catch (error) {
    signal.throwIfAborted();
    // Without a key nothing else works either. A service that cannot list only requires the user to type the ID.
    if (!(error instanceof SondeError) || error.exitCode === EXIT.credentials) throw error;
    await spinner.stop();
    const reason = error instanceof ApiError ? `cannot list ${plural}` : error.message;
    await terminal.note(`${sentenceCase(reason)}; enter an ID instead.`);
    return undefined;
  } finally {
    await spinner.stop();
  }
}

interface ChoicePage {
  readonly choices: readonly Choice<string>[];
  readonly more: boolean;
}

async function* choicePages(
  client: Client,
  thing: CatalogEntry,
  listing: ListOptions,
): AsyncGenerator<ChoicePage, void, undefined> {
  let left = MAX_CHOICES;
  const kinds = entriesOf(thing);
  for (const kind of kinds) {
    for await (const { candidates, more } of listCandidatePages(client, kind, listing)) {
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

/** Returns a choice such as `FAILED Apex record` with the description `DNS, 3m ago, 0b5b2c1e`. */
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
