/** What a service never shows: an export leaves it out and says so, and a seed does without, keeps it or takes it from elsewhere. */
import { isObject } from '../../base/object.ts';
import { type Fields, formatName, kindOf, type Section } from './kinds.ts';

type Pair = Fields & { readonly key: unknown };
type Values = ReadonlyMap<string, string>;

const isHidden = ({ secret, locked }: Fields): boolean => secret === true || locked === true;
const hasValue = ({ value }: Fields): boolean => typeof value === 'string';
const pairsOf = (list: unknown): readonly Pair[] =>
  Array.isArray(list) ? list.filter((each): each is Pair => isObject(each) && 'key' in each) : [];

/** The lists of names and values that something of a section may hold, some of which are hidden. */
const LISTS: Partial<Readonly<Record<Section, readonly string[]>>> = {
  groups: ['environmentVariables'],
  checks: ['environmentVariables', 'headers', 'queryParameters'],
  alertChannels: ['headers', 'queryParameters'],
};

/** Changes those lists of a body; of an alert channel they stand in its config, of an API check some in its request. */
function mapLists(
  section: Section,
  body: Fields,
  map: (list: readonly unknown[], name: string) => readonly unknown[],
): Fields {
  const change = (fields: Fields): Fields => {
    const changed = (LISTS[section] ?? []).flatMap((name): [string, unknown][] => {
      const list = fields[name];
      return Array.isArray(list) ? [[name, map(list, name)]] : [];
    });
    return { ...fields, ...Object.fromEntries(changed) };
  };
  // Some of them stand within a part.
  const part = section === 'alertChannels' ? 'config' : section === 'checks' ? 'request' : undefined;
  const inner = part === undefined ? undefined : body[part];
  const own = section === 'alertChannels' ? body : change(body);
  return part !== undefined && isObject(inner) ? { ...own, [part]: change(inner) } : own;
}

/** A single value that is never shown: what it stands in, its field there, and what people call it. */
interface Slot {
  readonly path: readonly string[];
  readonly field: string;
  readonly label: string;
  /** Nobody can tell whether there is one. */
  readonly isOptional?: true;
}

const PASSWORD = { field: 'password', label: 'password' } as const;
const SLOTS: Partial<Readonly<Record<Section, Slot>>> = {
  groups: { path: ['apiCheckDefaults', 'basicAuth'], ...PASSWORD },
  checks: { path: ['request', 'basicAuth'], ...PASSWORD },
  alertChannels: {
    path: ['config'],
    field: 'webhookSecret',
    label: 'webhook secret, if it has one',
    isOptional: true,
  },
};

const getAt = (body: unknown, [step, ...rest]: readonly string[]): unknown =>
  step === undefined ? body : isObject(body) ? getAt(body[step], rest) : undefined;

/** A body with something else in one place; what leads there stands. */
function updateAt(
  body: Fields,
  [step, ...rest]: readonly string[],
  change: (part: Fields) => Fields,
): Fields {
  if (step === undefined) return change(body);
  const inner = body[step];
  return isObject(inner) ? { ...body, [step]: updateAt(inner, rest, change) } : body;
}

/** The hidden value that one may have besides its lists. */
function findSlot(section: Section, body: Fields): Slot | undefined {
  const slot = SLOTS[section];
  if (section === 'alertChannels' && body.type !== 'WEBHOOK') return undefined;
  return slot && isObject(getAt(body, slot.path)) ? slot : undefined;
}

/** By what name a file of values has it: `CHECK_SIGN_IN_PASSWORD`. */
const valueKey = (section: Section, body: Fields, { field }: Slot): string =>
  [kindOf(section).noun, formatName(kindOf(section), body), field.replace(/[A-Z]/g, '_$&')]
    .join('_')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_');

/** One as the file has it: an empty text that stands for a hidden value is none. */
export const omitHiddenValues = (section: Section, shown: Fields): Fields =>
  mapLists(section, shown, (list) =>
    list.map((pair: unknown) => {
      if (!isObject(pair) || !isHidden(pair)) return pair;
      const { value: _, ...rest } = pair;
      return rest;
    }),
  );

/** What of one is never shown, in words that follow its name. */
export function listHiddenValues(section: Section, row: Fields): readonly string[] {
  if (section === 'variables') return row.secret === true ? [''] : [];
  const found: string[] = [];
  mapLists(section, row, (list) => {
    found.push(
      ...pairsOf(list)
        .filter(isHidden)
        .map(({ key }) => `: ${key}`),
    );
    return list;
  });
  const slot = findSlot(section, row);
  if (slot) found.push(`: ${slot.label} (${valueKey(section, row, slot)})`);
  return found;
}

/** A body with its single hidden value, where the file leaves it out and it is given besides; what has none anywhere is told. */
function fillSlot(
  section: Section,
  body: Fields,
  standing: Fields | undefined,
  values: Values,
  lacks: string[],
): Fields {
  const slot = findSlot(section, body);
  if (!slot) return body;
  const { path, field, isOptional } = slot;
  const part = getAt(body, path) as Fields;
  if (typeof part[field] === 'string') return body;
  const key = valueKey(section, body, slot);
  const value = values.get(key);
  if (value !== undefined) return updateAt(body, path, (one) => ({ ...one, [field]: value }));
  if (!isOptional && !isObject(getAt(standing, path))) lacks.push(key);
  return body;
}

/** One of the file with what it leaves out. */
export interface FilledEntry {
  /** As it is judged: nothing is missing that is only hidden. */
  readonly validated: Fields;
  /** As it is sent: what has no value anywhere is not in it. */
  readonly sent: Fields;
  /** The names of those. */
  readonly missingValues: readonly string[];
}

/** `values`: what the user gives besides the file, by key. `standing`: what is there keeps what it has. */
export function fillHiddenValues(
  section: Section,
  body: Fields,
  standing: Fields | undefined,
  values: Values,
): FilledEntry {
  const lacks: string[] = [];
  const known = new Map<string, ReadonlySet<unknown>>();
  if (standing) {
    mapLists(section, standing, (list, name) => {
      known.set(
        name,
        new Set(
          pairsOf(list)
            .filter(isHidden)
            .map(({ key }) => key),
        ),
      );
      return list;
    });
  }
  // Of a variable an empty text means: as it was. A header is known by having none.
  const kept = section === 'alertChannels' ? {} : { value: '' };
  const fill = (pair: unknown, name: string, isJudged: boolean): readonly unknown[] => {
    if (!isObject(pair) || hasValue(pair) || !isHidden(pair)) return [pair];
    const key = String(pair.key);
    const value = values.get(key);
    if (value !== undefined) return [{ ...pair, value }];
    if (isJudged || known.get(name)?.has(pair.key)) return [{ ...pair, ...kept }];
    lacks.push(key);
    return [];
  };
  const without: string[] = [];
  const filled = fillSlot(section, body, standing, values, without);
  const sent = mapLists(section, filled, (list, name) => list.flatMap((pair) => fill(pair, name, false)));
  const judged = mapLists(section, filled, (list, name) => list.flatMap((pair) => fill(pair, name, true)));
  return { sent, validated: judged, missingValues: [...lacks, ...without] };
}
