/** Finds names and ID prefixes on a command line in the place of IDs. */
import { UUID, UUID_START } from '../../base/short-id.ts';
import { argumentLabel, type CommandSpec, type Flag } from './command-spec.ts';
import type { ArgumentTarget, ResourceName } from './options.ts';
import type { TokenizedLine } from './program.ts';
import { camelCase, type RequestField } from './request-fields.ts';
import { type ResolvedNames, replaceWithIds } from './resolved-names.ts';

/** The accepted forms of a resource's ID. */
interface IdForm {
  /** Matches a full ID, which sonde uses without a lookup. */
  readonly fullId: RegExp;
  /** Matches an ID prefix; if set, sonde looks up nothing else. */
  readonly idPrefix?: RegExp;
  /** The accepted forms as help describes them. */
  readonly help: string;
}

const NUMBER = /^\d+$/;
const NUMBER_OR_NAME: IdForm = { fullId: NUMBER, help: 'a name also works' };
const UUID_OR_NAME: IdForm = { fullId: UUID, help: 'a name or ID prefix also works' };
const UUID_ONLY: IdForm = { fullId: UUID, idPrefix: UUID_START, help: 'an ID prefix also works' };

/** The ID form of each resource; undefined if sonde uses every word without a lookup. */
const ID_FORMS: Readonly<Record<ResourceName, IdForm | undefined>> = {
  'alert-channel': NUMBER_OR_NAME,
  check: UUID_OR_NAME,
  'check-or-group': { ...UUID_OR_NAME, fullId: new RegExp(`${UUID.source}|${NUMBER.source}`, 'i') },
  dashboard: UUID_OR_NAME,
  // The service lists only the error groups of one check.
  'error-group': undefined,
  group: NUMBER_OR_NAME,
  incident: UUID_OR_NAME,
  'maintenance-window': NUMBER_OR_NAME,
  'private-location': UUID_OR_NAME,
  service: UUID_OR_NAME,
  session: UUID_ONLY,
  snippet: NUMBER_OR_NAME,
  'status-page': UUID_OR_NAME,
  'test-session': UUID_ONLY,
  // The key of a variable is its name.
  variable: undefined,
};

export const idFormOf = (of: ArgumentTarget | undefined): IdForm | undefined =>
  of === undefined || of === 'profile' ? undefined : ID_FORMS[of];

/** Fields that contain the ID of a resource. */
const ID_FIELDS: Readonly<Record<string, ResourceName>> = {
  alertChannelId: 'alert-channel',
  checkId: 'check',
  groupId: 'group',
  setupSnippetId: 'snippet',
  tearDownSnippetId: 'snippet',
};

/** Returns the resource whose ID a field contains. */
export function resourceOfField({ path, kind }: RequestField): ResourceName | undefined {
  const name = String(path.at(-1) ?? '');
  return (kind === 'scalar' || kind === 'list') && Object.hasOwn(ID_FIELDS, name)
    ? ID_FIELDS[name]
    : undefined;
}

/** A name or ID prefix to resolve. */
export interface NameArgument {
  /** Its argument or flag: `<id>`, `--check-id`. */
  readonly place: string;
  readonly of: ResourceName;
  readonly word: string;
}

/** Words that cannot be names: validation rejects them, and `null` clears a field. */
const RESERVED_WORDS = ['', '.', '..', 'null'];

/** Returns the resource whose ID a flag contains. */
const resourceOfFlag = ({ flag, field }: Flag): ResourceName | undefined =>
  field?.kind === 'scalar' && flag === field.flag ? resourceOfField(field) : undefined;

/** Returns the names and ID prefixes of a line. `args`: the values of the arguments, including words from stdin. */
export function findNameArguments(
  { arguments: declared, flags }: CommandSpec,
  args: Readonly<Record<string, unknown>>,
  { texts }: TokenizedLine,
): readonly NameArgument[] {
  const candidates = [
    ...declared.map(([key, argument]) => ({
      place: argumentLabel(key, argument),
      of: argument.of,
      words: [args[key] ?? []].flat() as string[],
    })),
    ...flags.map((flag) => ({
      place: `--${flag.flag}`,
      of: resourceOfFlag(flag),
      words: texts.get(camelCase(flag.flag)) ?? [],
    })),
  ];
  return candidates.flatMap(({ place, of, words }) => {
    const form = idFormOf(of);
    if (form === undefined) return [];
    const { fullId, idPrefix } = form;
    const names = words.filter((word) => !fullId.test(word));
    // Words that can be neither a name nor an ID are reported later, together with all other errors.
    if (names.some((word) => RESERVED_WORDS.includes(word) || idPrefix?.test(word) === false)) return [];
    return names.map((word) => ({ place, of: of as ResourceName, word }));
  });
}

/** Replaces names in flags by IDs. `readArguments` replaces those in arguments. */
export function replaceNames(
  { flags }: CommandSpec,
  line: TokenizedLine,
  resolved: ResolvedNames,
): TokenizedLine {
  const texts = new Map(line.texts);
  for (const flag of flags) {
    const words = texts.get(camelCase(flag.flag));
    const of = words && resourceOfFlag(flag);
    if (of) texts.set(camelCase(flag.flag), replaceWithIds(resolved, of, words));
  }
  return { ...line, texts, resolved };
}
