/** What a service never shows: an export leaves it out and says so, and a seed does without, keeps it or takes it from elsewhere. */
import { isObject } from '../../base/object.ts';
import { type Fields, kindOf, nameText, type Section } from './kinds.ts';

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
  readonly within: readonly string[];
  readonly field: string;
  readonly words: string;
  /** Nobody can tell whether there is one. */
  readonly isOptional?: true;
}

const PASSWORD = { field: 'password', words: 'password' } as const;
const SLOTS: Partial<Readonly<Record<Section, Slot>>> = {
  groups: { within: ['apiCheckDefaults', 'basicAuth'], ...PASSWORD },
  checks: { within: ['request', 'basicAuth'], ...PASSWORD },
  alertChannels: {
    within: ['config'],
    field: 'webhookSecret',
    words: 'webhook secret, if it has one',
    isOptional: true,
  },
};

const within = (body: unknown, [step, ...rest]: readonly string[]): unknown =>
  step === undefined ? body : isObject(body) ? within(body[step], rest) : undefined;

/** A body with something else in one place; what leads there stands. */
function withAt(body: Fields, [step, ...rest]: readonly string[], change: (part: Fields) => Fields): Fields {
  if (step === undefined) return change(body);
  const inner = body[step];
  return isObject(inner) ? { ...body, [step]: withAt(inner, rest, change) } : body;
}

/** The hidden value that one may have besides its lists. */
function slotOf(section: Section, body: Fields): Slot | undefined {
  const slot = SLOTS[section];
  if (section === 'alertChannels' && body.type !== 'WEBHOOK') return undefined;
  return slot && isObject(within(body, slot.within)) ? slot : undefined;
}

/** By what name a file of values has it: `CHECK_SIGN_IN_PASSWORD`. */
const keyOf = (section: Section, body: Fields, { field }: Slot): string =>
  [kindOf(section).noun, nameText(kindOf(section), body), field.replace(/[A-Z]/g, '_$&')]
    .join('_')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_');

/** One as the file has it: an empty text that stands for a hidden value is none. */
export const withoutHidden = (section: Section, shown: Fields): Fields =>
  mapLists(section, shown, (list) =>
    list.map((pair: unknown) => {
      if (!isObject(pair) || !isHidden(pair)) return pair;
      const { value: _, ...rest } = pair;
      return rest;
    }),
  );

/** What of one is never shown, in words that follow its name. */
export function hiddenOf(section: Section, row: Fields): readonly string[] {
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
  const slot = slotOf(section, row);
  if (slot) found.push(`: ${slot.words} (${keyOf(section, row, slot)})`);
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
  const slot = slotOf(section, body);
  if (!slot) return body;
  const { within: path, field, isOptional } = slot;
  const part = within(body, path) as Fields;
  if (typeof part[field] === 'string') return body;
  const key = keyOf(section, body, slot);
  const value = values.get(key);
  if (value !== undefined) return withAt(body, path, (one) => ({ ...one, [field]: value }));
  if (!isOptional && !isObject(within(standing, path))) lacks.push(key);
  return body;
}

/** One of the file with what it leaves out. */
export interface Filled {
  /** As it is judged: nothing is missing that is only hidden. */
  readonly judged: Fields;
  /** As it is sent: what has no value anywhere is not in it. */
  readonly sent: Fields;
  /** The names of those. */
  readonly lacks: readonly string[];
}

/** `values`: what the user gives besides the file, by key. `standing`: what is there keeps what it has. */
export function fillHidden(
  section: Section,
  body: Fields,
  standing: Fields | undefined,
  values: Values,
): Filled {
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
  return { sent, judged, lacks: [...lacks, ...without] };
}
