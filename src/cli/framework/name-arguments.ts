/** Finds the words of a command line that stand where an ID is wanted and are no whole ID: names, and beginnings of IDs. */
import { UUID, UUID_START } from '../../base/short-id.ts';
import { camel, type Field } from './request-fields.ts';
import { type Flag, placeOfArgument, type Shape } from './command-spec.ts';
import type { Named, ThingName } from './options.ts';
import { type ResolvedNames, withIds } from './resolved-names.ts';
import type { Collected } from './tokenize-argv.ts';

/** What may be given for the ID of a thing. */
interface IdForm {
  /** How a whole ID reads: it is used as it stands, without a request. */
  readonly whole: RegExp;
  /** What else may mean it, where not everything: no more is looked up. */
  readonly part?: RegExp;
  /** The same for help. */
  readonly also: string;
}

const NUMBER = /^\d+$/;
const numbered: IdForm = { whole: NUMBER, also: 'a name also works' };
const named: IdForm = { whole: UUID, also: 'a name or ID prefix also works' };
const unnamed: IdForm = { whole: UUID, part: UUID_START, also: 'an ID prefix also works' };

/** Of each thing; undefined: whatever is typed is used as it stands. */
const ID_FORMS: Readonly<Record<ThingName, IdForm | undefined>> = {
  'alert-channel': numbered,
  check: named,
  'check-or-group': { ...named, whole: new RegExp(`${UUID.source}|${NUMBER.source}`, 'i') },
  dashboard: named,
  // The service lists those of one check alone.
  'error-group': undefined,
  group: numbered,
  incident: named,
  'maintenance-window': numbered,
  'private-location': named,
  service: named,
  session: unnamed,
  snippet: numbered,
  'status-page': named,
  'test-session': unnamed,
  // Its key is its name.
  variable: undefined,
};

export const idFormOf = (of: Named | undefined): IdForm | undefined =>
  of === undefined || of === 'profile' ? undefined : ID_FORMS[of];

/** Fields that name a thing by its ID, whatever they are a field of. */
const NAMED_BY: Readonly<Record<string, ThingName>> = {
  alertChannelId: 'alert-channel',
  checkId: 'check',
  groupId: 'group',
  setupSnippetId: 'snippet',
  tearDownSnippetId: 'snippet',
};

/** The thing that a field names. */
export function thingOfField({ path, kind }: Field): ThingName | undefined {
  const name = String(path.at(-1) ?? '');
  return (kind === 'scalar' || kind === 'list') && Object.hasOwn(NAMED_BY, name) ? NAMED_BY[name] : undefined;
}

/** A word that is to be resolved. */
export interface NamingWord {
  /** The argument or flag that it was given to: `<id>`, `--check-id`. */
  readonly place: string;
  readonly of: ThingName;
  readonly word: string;
}

/** What can be no name: it is refused as it stands, and `null` clears a field. */
const NO_NAME = ['', '.', '..', 'null'];

/** The thing that a flag names by its ID. */
const thingOfFlag = ({ flag, field }: Flag): ThingName | undefined =>
  field?.kind === 'scalar' && flag === field.flag ? thingOfField(field) : undefined;

/** The words of a line that are to be resolved. `args`: what the arguments came to, with the words from stdin. */
export function namingWords(
  { arguments: declared, flags }: Shape,
  args: Readonly<Record<string, unknown>>,
  { texts }: Collected,
): readonly NamingWord[] {
  const given = [
    ...declared.map(([key, argument]) => ({
      place: placeOfArgument(key, argument),
      of: argument.of,
      words: [args[key] ?? []].flat() as string[],
    })),
    ...flags.map((flag) => ({
      place: `--${flag.flag}`,
      of: thingOfFlag(flag),
      words: texts.get(camel(flag.flag)) ?? [],
    })),
  ];
  return given.flatMap(({ place, of, words }) => {
    const form = idFormOf(of);
    if (form === undefined) return [];
    const { whole, part } = form;
    const names = words.filter((word) => !whole.test(word));
    // Words that can be neither a name nor an ID are reported later, together with all other errors.
    if (names.some((word) => NO_NAME.includes(word) || part?.test(word) === false)) return [];
    return names.map((word) => ({ place, of: of as ThingName, word }));
  });
}

/** The line with the IDs in place of the words that its flags were given; those of its arguments follow when they are read. */
export function withResolved({ flags }: Shape, line: Collected, resolved: ResolvedNames): Collected {
  const texts = new Map(line.texts);
  for (const flag of flags) {
    const given = texts.get(camel(flag.flag));
    const of = given && thingOfFlag(flag);
    if (of) texts.set(camel(flag.flag), withIds(resolved, of, given));
  }
  return { ...line, texts, resolved };
}
