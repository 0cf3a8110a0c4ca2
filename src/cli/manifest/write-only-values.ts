/** Handles values that the service never returns: exports omit and list them, and seeds fill them from another file. */
import { isObject, type JsonObject } from '../../base/object.ts';
import { formatName, kindOf, type Section } from './kinds.ts';

type Pair = JsonObject & { readonly key: unknown };
type Values = ReadonlyMap<string, string>;

const isHidden = ({ secret, locked }: JsonObject): boolean => secret === true || locked === true;
const hasValue = ({ value }: JsonObject): boolean => typeof value === 'string';
const pairsOf = (list: unknown): readonly Pair[] =>
  Array.isArray(list) ? list.filter((each): each is Pair => isObject(each) && 'key' in each) : [];

/** The lists of key-value pairs, in each section, that may contain hidden values. */
const LISTS: Partial<Readonly<Record<Section, readonly string[]>>> = {
  groups: ['environmentVariables', 'headers', 'queryParameters'],
  checks: ['environmentVariables', 'headers', 'queryParameters'],
  alertChannels: ['headers', 'queryParameters'],
};

/** The kind of pairs in a list. */
const PAIR_NOUNS: Readonly<Record<string, string>> = {
  environmentVariables: 'variable',
  headers: 'header',
  queryParameters: 'query parameter',
};

/** The part of a body that contains lists: of an alert channel all, of a check and a group the pairs of requests. */
const PARTS: Partial<Readonly<Record<Section, string>>> = {
  groups: 'apiCheckDefaults',
  checks: 'request',
  alertChannels: 'config',
};

/** Maps these lists of a body. */
function mapLists(
  section: Section,
  body: JsonObject,
  map: (list: readonly unknown[], name: string) => readonly unknown[],
): JsonObject {
  const change = (fields: JsonObject): JsonObject => {
    const changed = (LISTS[section] ?? []).flatMap((name): [string, unknown][] => {
      const list = fields[name];
      return Array.isArray(list) ? [[name, map(list, name)]] : [];
    });
    return { ...fields, ...Object.fromEntries(changed) };
  };
  const part = PARTS[section];
  const inner = part === undefined ? undefined : body[part];
  const own = section === 'alertChannels' ? body : change(body);
  return part !== undefined && isObject(inner) ? { ...own, [part]: change(inner) } : own;
}

/** A single hidden value: the path of the object around it, its field, and its label. */
interface Slot {
  readonly path: readonly string[];
  readonly field: string;
  readonly label: string;
  /** The service does not show whether it is set. */
  readonly isOptional?: true;
}

const PASSWORD = { field: 'password', label: 'password' } as const;
/** A resource has at most one of the values of its section. */
const SLOTS: Partial<Readonly<Record<Section, readonly Slot[]>>> = {
  groups: [{ path: ['apiCheckDefaults', 'basicAuth'], ...PASSWORD }],
  checks: [
    { path: ['request', 'basicAuth'], ...PASSWORD },
    { path: ['playwrightConfig', 'use', 'httpCredentials'], ...PASSWORD },
  ],
  alertChannels: [
    {
      path: ['config'],
      field: 'webhookSecret',
      label: 'webhook secret, if it has one',
      isOptional: true,
    },
  ],
};

const getAt = (body: unknown, [step, ...rest]: readonly string[]): unknown =>
  step === undefined ? body : isObject(body) ? getAt(body[step], rest) : undefined;

/** Returns a body with a changed object at a path. */
function updateAt(
  body: JsonObject,
  [step, ...rest]: readonly string[],
  change: (part: JsonObject) => JsonObject,
): JsonObject {
  if (step === undefined) return change(body);
  const inner = body[step];
  return isObject(inner) ? { ...body, [step]: updateAt(inner, rest, change) } : body;
}

/** Returns the hidden value of a body outside of its lists. */
function findSlot(section: Section, body: JsonObject): Slot | undefined {
  if (section === 'alertChannels' && body.type !== 'WEBHOOK') return undefined;
  return SLOTS[section]?.find(({ path }) => isObject(getAt(body, path)));
}

/** Joins words to the name of a value: `CHECK_SIGN_IN_PASSWORD`. */
export const toValueName = (...words: readonly string[]): string =>
  words
    .join('_')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_');
/** Returns the name of a value in a file of values. */
export const valueName = (section: Section, body: JsonObject, suffix: string): string =>
  toValueName(kindOf(section).noun, formatName(kindOf(section), body), suffix);
const pairName = (section: Section, body: JsonObject, list: string, { key }: JsonObject): string =>
  valueName(section, body, `${PAIR_NOUNS[list]} ${key}`);
const slotName = (section: Section, body: JsonObject, { field }: Slot): string =>
  valueName(section, body, field.replace(/[A-Z]/g, '_$&'));

const withoutField = (body: JsonObject, field: string): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));

/** Removes hidden values, and the empty texts that the service returns for them. */
export function omitHiddenValues(section: Section, body: JsonObject): JsonObject {
  if (section === 'variables') return body.secret === true ? withoutField(body, 'value') : body;
  const slot = findSlot(section, body);
  const shown = slot ? updateAt(body, slot.path, (part) => withoutField(part, slot.field)) : body;
  return mapLists(section, shown, (list) =>
    list.map((pair) => (isObject(pair) && isHidden(pair) ? withoutField(pair, 'value') : pair)),
  );
}

const isGiven = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Whether an entry is a secret or locked variable without a value. */
export const lacksValue = (section: Section, body: JsonObject): boolean =>
  section === 'variables' && isHidden(body) && body.value === undefined;

/** Counts the hidden values that a body gives. */
export function countHiddenValues(section: Section, body: JsonObject): number {
  if (section === 'variables') return body.secret === true && isGiven(body.value) ? 1 : 0;
  const slot = findSlot(section, body);
  let count = slot && isGiven((getAt(body, slot.path) as JsonObject)[slot.field]) ? 1 : 0;
  mapLists(section, body, (list) => {
    count += pairsOf(list).filter((pair) => isHidden(pair) && isGiven(pair.value)).length;
    return list;
  });
  return count;
}

/** A value that an export leaves out: its name in a file of values, and what it is. */
export interface HiddenValue {
  readonly name: string;
  /** Describes the part of the resource: `PASSWORD`. Empty: the resource itself. */
  readonly label: string;
}

/** Lists the hidden values of a resource. */
export function listHiddenValues(section: Section, row: JsonObject): readonly HiddenValue[] {
  if (section === 'variables') return isHidden(row) ? [{ name: String(row.key), label: '' }] : [];
  const values: HiddenValue[] = [];
  mapLists(section, row, (list, listName) => {
    for (const pair of pairsOf(list).filter(isHidden)) {
      const name = pairName(section, row, listName, pair);
      values.push({ name, label: `${PAIR_NOUNS[listName]} ${pair.key}` });
    }
    return list;
  });
  const slot = findSlot(section, row);
  if (slot) values.push({ name: slotName(section, row, slot), label: slot.label });
  return values;
}

/** Fills in the single hidden value that the file omits. Adds its key to `missing` if it is not available. */
function fillSlot(
  section: Section,
  body: JsonObject,
  remote: JsonObject | undefined,
  values: Values,
  missing: string[],
): JsonObject {
  const slot = findSlot(section, body);
  if (!slot) return body;
  const { path, field, isOptional } = slot;
  const part = getAt(body, path) as JsonObject;
  if (typeof part[field] === 'string') return body;
  const key = slotName(section, body, slot);
  const value = values.get(key);
  if (value !== undefined) return updateAt(body, path, (one) => ({ ...one, [field]: value }));
  if (!isOptional && !isObject(getAt(remote, path))) missing.push(key);
  return body;
}

/** An entry with the hidden values that the file omits. */
export interface FilledEntry {
  /** The body to validate, with placeholders for hidden values. */
  readonly validated: JsonObject;
  /** The body to send, without values that are not available. */
  readonly sent: JsonObject;
  /** The keys of values that are not available. */
  readonly missingValues: readonly string[];
}

/** Fills in hidden values. `values`: from the user, by key. `remote`: the current resource, which keeps its values. */
export function fillHiddenValues(
  section: Section,
  body: JsonObject,
  remote: JsonObject | undefined,
  values: Values,
): FilledEntry {
  const missing: string[] = [];
  const known = new Map<string, ReadonlySet<unknown>>();
  if (remote) {
    mapLists(section, remote, (list, name) => {
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
  // An empty value does not change a variable. A header without a value does not change either.
  const placeholder = section === 'alertChannels' ? {} : { value: '' };
  const fill = (pair: unknown, list: string, forValidation: boolean): readonly unknown[] => {
    if (!isObject(pair) || hasValue(pair) || !isHidden(pair)) return [pair];
    const name = pairName(section, body, list, pair);
    const value = values.get(name) ?? values.get(String(pair.key));
    if (value !== undefined) return [{ ...pair, value }];
    if (forValidation || known.get(list)?.has(pair.key)) return [{ ...pair, ...placeholder }];
    missing.push(name);
    return [];
  };
  const missingSlots: string[] = [];
  const filled = fillSlot(section, body, remote, values, missingSlots);
  const sent = mapLists(section, filled, (list, name) => list.flatMap((pair) => fill(pair, name, false)));
  const validated = mapLists(section, filled, (list, name) => list.flatMap((pair) => fill(pair, name, true)));
  return { sent, validated, missingValues: [...missing, ...missingSlots] };
}
