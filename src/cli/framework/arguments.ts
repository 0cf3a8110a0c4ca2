/** Reads the arguments of a line, derives path parameters from them, and finds the names and ID prefixes among them. */
import type { Problem } from '../../base/errors.ts';
import { REQUIRED_ARGUMENT } from '../../base/phrases.ts';
import { UUID, UUID_START } from '../../base/short-id.ts';
import { coerceText } from '../../contract/coerce.ts';
import type { Endpoint } from '../../contract/index.ts';
import { argumentLabel, type CommandSpec, type Flag } from './command-spec.ts';
import { type ArgumentTarget, invalidChoice, type ResourceName } from './options.ts';
import type { TokenizedLine } from './program.ts';
import type { ParseContext } from './read-request-body.ts';
import { camelCase, kebabCase, type RequestField } from './request-fields.ts';
import type { ResolvedNames } from './types.ts';

export interface ParsedArguments {
  readonly args: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly many: boolean;
  /** The IDs of a list that fills a path parameter. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** Missing arguments that sonde can prompt for: required ones, and optional ones that no option replaces. */
  readonly missing: readonly { readonly key: string; readonly place: string }[];
}

/** Reads the arguments; `-` reads a list from stdin. Problems name an argument as help does. */
export async function readArguments(
  spec: CommandSpec,
  line: TokenizedLine,
  { readStdin }: Pick<ParseContext, 'readStdin'>,
  problems: Problem[],
): Promise<ParsedArguments> {
  const args: Record<string, string | readonly string[] | undefined> = {};
  const lists = new Map<string, readonly string[]>();
  const missing: ParsedArguments['missing'][number][] = [];
  const { resolved = NO_NAMES } = line;
  let many = false;
  for (const [index, [key, argument]] of spec.arguments.entries()) {
    const tokens = line.arguments[index];
    const place = argumentLabel(key, argument);
    if (!argument.variadic) {
      const [text] = typeof tokens === 'string' ? replaceWithIds(resolved, argument.of, [tokens]) : [];
      if (text === undefined && argument.required) {
        problems.push({ place, message: REQUIRED_ARGUMENT });
        missing.push({ key, place });
      }
      if (text !== undefined && argument.allowed?.includes(text) === false) {
        problems.push({ place, ...invalidChoice(text, argument.allowed) });
      }
      args[key] = text;
      continue;
    }
    const typed = typeof tokens === 'string' ? [tokens] : (tokens ?? []);
    const isFromStdin = argument.dash !== 'value' && typed.includes('-');
    const stdinWords = isFromStdin ? nonEmptyLines(await readStdin()) : [];
    const words = typed.flatMap((text) => (isFromStdin && text === '-' ? stdinWords : [text]));
    const ids = replaceWithIds(resolved, argument.of, words);
    if (words.length === 0 && argument.required) {
      problems.push({
        place,
        message: isFromStdin
          ? 'is required, but stdin was empty: check the command that writes the IDs'
          : REQUIRED_ARGUMENT,
      });
    }
    const isReplaced = argument.required
      ? isFromStdin
      : argument.unless?.some((option) => line.texts.has(option)) !== false;
    if (words.length === 0 && !isReplaced) missing.push({ key, place });
    many ||= isFromStdin || words.length > 1;
    args[key] = ids;
    if (argument.param) lists.set(argument.param, ids);
  }
  return { args, many, lists, missing };
}

const nonEmptyLines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Returns the path parameters: one set, or one for each ID of a list. */
export function paramsOf(
  endpoint: Endpoint,
  spec: CommandSpec,
  args: ParsedArguments['args'],
  lists: ParsedArguments['lists'],
): readonly Record<string, unknown>[] {
  const single: Record<string, unknown> = {};
  const value = (param: string, text: string): unknown =>
    coerceText(text, endpoint.params.properties?.[param] ?? {});
  for (const [key, { param }] of spec.arguments) {
    const text = args[key];
    if (param && typeof text === 'string') single[param] = value(param, text);
  }
  const [list] = lists;
  if (!list) return [single];
  const [param, ids] = list;
  return ids.map((id) => ({ ...single, [param]: value(param, id) }));
}

/** Returns the label of the argument that fills a path parameter. */
export function labelOfParam(spec: CommandSpec, name: string): string {
  const entry = spec.arguments.find(([, { param }]) => param === name);
  return entry ? argumentLabel(...entry) : `<${kebabCase(name)}>`;
}

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
  'client-certificate': UUID_OR_NAME,
  dashboard: UUID_OR_NAME,
  // The service lists only the error groups of one check.
  'error-group': undefined,
  group: NUMBER_OR_NAME,
  incident: UUID_OR_NAME,
  'maintenance-window': NUMBER_OR_NAME,
  'private-location': { ...UUID_OR_NAME, help: 'a slug, name or ID prefix also works' },
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

const ID_FIELDS: Readonly<Record<string, ResourceName>> = {
  alertChannelId: 'alert-channel',
  checkId: 'check',
  dependsOn: 'check',
  groupId: 'group',
  serviceIds: 'service',
  services: 'service',
  setupSnippetId: 'snippet',
  statusPageIds: 'status-page',
  tearDownSnippetId: 'snippet',
};

/** Returns the resource whose ID, or list of IDs, a field contains. */
export function resourceOfField({ path, kind }: RequestField): ResourceName | undefined {
  const name = String(path.at(-1) ?? '');
  return ['scalar', 'list', 'ids'].includes(kind) && Object.hasOwn(ID_FIELDS, name)
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

/** Words that cannot be names: validation rejects them, `null` and `[]` clear a field, and other lists may be JSON. */
const RESERVED_WORDS = /^$|^\.\.?$|^null$|^\[/;

const resourceOfFlag = ({ flag, field }: Flag): ResourceName | undefined =>
  field !== undefined && flag === field.flag ? resourceOfField(field) : undefined;

/** Splits the texts of a list flag at commas, as the parser does. A list may also be JSON. */
const splitWords = ({ field }: Flag, texts: readonly string[]): readonly string[] =>
  field?.kind === 'scalar' || texts.some((text) => text.trimStart().startsWith('['))
    ? texts
    : texts.flatMap((text) => text.split(',')).map((word) => word.trim());

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
      words: splitWords(flag, texts.get(camelCase(flag.flag)) ?? []),
    })),
  ];
  return candidates.flatMap(({ place, of, words }) => {
    const form = idFormOf(of);
    if (form === undefined) return [];
    const { fullId, idPrefix } = form;
    const names = words.filter((word) => !fullId.test(word));
    // Words that can be neither a name nor an ID are reported later, together with all other errors.
    if (names.some((word) => RESERVED_WORDS.test(word) || idPrefix?.test(word) === false)) return [];
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
    if (of) texts.set(camelCase(flag.flag), replaceWithIds(resolved, of, splitWords(flag, words)));
  }
  return { ...line, texts, resolved };
}

export const NO_NAMES: ResolvedNames = { ids: new Map(), names: new Map(), unknown: [] };

export const nameKey = (of: ArgumentTarget, word: string): string => `${of} ${word}`;

/** Replaces words by their IDs and drops unknown words. */
export const replaceWithIds = (
  { ids, unknown }: ResolvedNames,
  of: ArgumentTarget | undefined,
  words: readonly string[],
): readonly string[] =>
  words.map((word) => (of && ids.get(nameKey(of, word))) ?? word).filter((word) => !unknown.includes(word));
