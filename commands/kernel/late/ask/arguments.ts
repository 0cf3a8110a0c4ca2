/** Asks for arguments: which of the things that there are, the most recent first. */
import { ApiError, SondeError, UsageError } from '../../../../src/base/errors.ts';
import { EXIT } from '../../../../src/base/exits.ts';
import { askChoice, askChoices, askText, type Choice, relativeTime } from '../../../../src/terminal/index.ts';
import { readProfiles } from '../../../shared/profiles/removal.ts';
import { type Candidate, listThings, things } from '../../../shared/things.ts';
import { kebab } from '../../fields.ts';
import type { Argument, Named, ThingName } from '../../options.ts';
import type { Scene } from './scene.ts';

/** How many are listed. */
const MOST = 100;
/** Of a long id this much is shown: names tell things apart, it only has to tell namesakes apart. */
const ID_SHOWN = 8;
const OTHER = '';

/** Asks for the argument of that key, and puts the answer into the line. */
export async function askArgument(scene: Scene, key: string): Promise<void> {
  const { shape, deps, draft } = scene;
  const [, argument] = shape.arguments.find(([name]) => name === key) ?? [];
  if (!argument) return;
  const place = `<${argument.placeholder ?? kebab(key)}>`;
  const question = { flag: place, signal: deps.signal };
  const type = async (): Promise<readonly string[]> => {
    const read = (typed: string) =>
      (argument.variadic ? typed.split(/[\s,]+/) : [typed.trim()]).filter(Boolean);
    const answer = await askText(deps.terminal, {
      ...question,
      message: `${idsOf(argument)}:`,
      check: async (typed) =>
        read(typed).length === 0 ? 'It is required' : draft.objectionTo(key, read(typed)),
    });
    return read(answer);
  };
  if (argument.allowed) {
    const choices = argument.allowed.map((word) => ({ value: word, name: word }));
    const chosen = await askChoice(deps.terminal, { ...question, message: `${argument.summary}:`, choices });
    return draft.giveArgument(key, [chosen]);
  }
  const offered = argument.of && (await offer(scene, argument.of));
  if (offered === undefined) return draft.giveArgument(key, await type());
  const { choices, noun, plural } = offered;
  if (choices.length === 0) {
    throw new UsageError(`There are no ${plural} to choose from`, {
      details: [{ place, message: 'is required' }],
    });
  }
  if (argument.variadic) {
    const chosen = await askChoices(deps.terminal, {
      ...question,
      message: `Which ${plural}:`,
      choices,
      required: true,
    });
    return draft.giveArgument(key, chosen);
  }
  const other = { value: OTHER, name: 'another', description: 'by its id' };
  const chosen = await askChoice(deps.terminal, {
    ...question,
    message: `Which ${noun}:`,
    choices: choices.length < MOST ? choices : [...choices, other],
  });
  draft.giveArgument(key, chosen === OTHER ? await type() : [chosen]);
}

/** What is typed, where nothing can be chosen. */
function idsOf({ of, variadic, summary }: Argument<unknown>): string {
  if (of === undefined || of === 'profile') return summary;
  const { noun, plural } = things[of];
  return variadic ? `Ids of ${plural}, with spaces between them` : `Id of the ${noun}`;
}

interface Offer {
  readonly noun: string;
  readonly plural: string;
  readonly choices: readonly Choice<string>[];
}

/** What there is to choose from; undefined where that cannot be known. */
async function offer(scene: Scene, of: Named): Promise<Offer | undefined> {
  if (of !== 'profile') return offerThings(scene, of);
  const { profiles, current } = await readProfiles(scene.deps);
  const choices = [...profiles].map(([name, { baseUrl }]) => ({
    value: name,
    name,
    description: name === current ? `${baseUrl}, the current one` : baseUrl,
  }));
  return { noun: 'profile', plural: 'profiles', choices };
}

async function offerThings(scene: Scene, of: ThingName): Promise<Offer | undefined> {
  const { deps } = scene;
  const { terminal, signal } = deps;
  const thing = things[of];
  const { noun, plural, within } = thing;
  let parent: string | undefined;
  if (within) {
    const around = await offerThings(scene, within.of);
    if (around === undefined || around.choices.length === 0) return undefined;
    parent = await askChoice(terminal, {
      message: `Of which ${around.noun}:`,
      flag: `<${within.param}>`,
      signal,
      choices: around.choices,
    });
  }
  const client = await deps.client();
  const now = deps.clock.now();
  const spinner = terminal.spinner(`Looking for ${plural}`);
  try {
    const found = await listThings(client, thing, { limit: MOST, now, parent, signal });
    return { noun, plural, choices: found.map((candidate) => choiceOf(candidate, now)) };
  } catch (error) {
    signal.throwIfAborted();
    // Without a key nothing else will work either; a deployment that does not list is no reason to stop.
    if (!(error instanceof SondeError) || error.exitCode === EXIT.credentials) throw error;
    await spinner.stop();
    const why = error instanceof ApiError ? `${plural} cannot be listed here` : error.message;
    await terminal.note(`${why[0]?.toUpperCase()}${why.slice(1)}; type what you mean.`);
    return undefined;
  } finally {
    await spinner.stop();
  }
}

/** `FAILED Apex record`, and beside it `DNS, 3m ago, 0b5b2c1e`. */
function choiceOf({ id, name, status, notes, at }: Candidate, now: number): Choice<string> {
  const named = [status, name].filter((part) => part !== undefined).join(' ');
  const when = at === undefined ? [] : [relativeTime(at, now)];
  const short = id.length > 2 * ID_SHOWN ? id.slice(0, ID_SHOWN) : id;
  return {
    value: id,
    name: named || id,
    description: [...notes, ...when, ...(named ? [short] : [])].join(', '),
  };
}
