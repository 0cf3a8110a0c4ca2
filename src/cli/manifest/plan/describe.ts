/** Describes resources as entries of a manifest without defaults, so that files and deployment can be compared. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../../base/object.ts';
import { instantOfDate, isBareDate, WINDOW_EDGES } from '../../../calendar/bare-dates.ts';
import { isZone, zoneOf } from '../../../calendar/zone.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { toRequestBody } from '../../edit/to-request.ts';
import { compactBody } from '../compact-body.ts';
import { hideCredentials } from '../credentials.ts';
import { entrySchemaOf } from '../files/entry-schema.ts';
import { kindOf, type Section } from '../kinds.ts';
import { exportAccess, withoutCardIds } from '../manifest-entry.ts';
import { idsToNames } from '../references.ts';
import { type FieldPath, valueAt, withOrderOf, withValueAt } from '../state/compare.ts';
import { omitHiddenValues } from '../write-only-values.ts';
import type { References } from './resolve-references.ts';

/** `doubleCheck: true` as a retry strategy (docs/gaps.md). */
const DOUBLE_CHECK = {
  type: 'FIXED',
  baseBackoffSeconds: 0,
  sameRegion: false,
  maxRetries: 1,
  maxDurationSeconds: 600,
};

/** Returns the retry strategy that a check has if its own is left out. */
export const retriesWithoutStrategy = ({ doubleCheck }: JsonObject): JsonObject | null =>
  doubleCheck === false ? null : DOUBLE_CHECK;

/** Returns the name of a resource. Undefined: it does not exist, and the reference is left out. */
export type LabelOf = (
  id: unknown,
  section: Section,
  path: readonly (string | number)[],
) => string | undefined;

/** Returns a request or a response as an entry without defaults and hidden values. */
function describe(section: Section, row: JsonObject, type: unknown, labelOf: LabelOf): JsonObject {
  const kind = kindOf(section);
  const checkType = section === 'checks' ? { checkType: type } : {};
  const schema = kind.create(checkType)?.body ?? {};
  const named = idsToNames(schema, hideCredentials(section, omitHiddenValues(section, row)), labelOf);
  // Checks and groups have the subscriptions of a channel. Some checks have required fields without effect.
  const unused =
    section === 'checks' ? Object.keys(kind.fill?.({ checkType: type }) ?? {}) : ['subscriptions'];
  const fields = Object.fromEntries(Object.entries(named).filter(([name]) => !unused.includes(name)));
  const { cards, alertChannelSubscriptions: subscriptions } = fields;
  const entry = {
    ...checkType,
    ...fields,
    ...(cards === undefined ? {} : { cards: withoutCardIds(cards) }),
    ...(Array.isArray(subscriptions) ? { alertChannelSubscriptions: sortSubscriptions(subscriptions) } : {}),
    ...exportAccess(section, row),
  };
  return withoutRepeatedRetries(section, compactBody(entrySchemaOf(section, type) ?? {}, entry));
}

/** Sorts subscriptions, because their order has no meaning. */
function sortSubscriptions(list: readonly unknown[]): readonly unknown[] {
  const nameOf = (one: unknown): string => (isObject(one) ? String(one.alertChannel) : '');
  return list.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** Removes the retry strategy of a check that has it anyway. */
function withoutRepeatedRetries(section: Section, entry: JsonObject): JsonObject {
  if (section !== 'checks' || entry.retryStrategy === undefined) return entry;
  const schema = entrySchemaOf(section, entry.checkType)?.properties?.retryStrategy ?? {};
  const implied = retriesWithoutStrategy(entry);
  const isImplied = isDeepStrictEqual(entry.retryStrategy, implied && compactBody(schema, implied));
  return isImplied ? withValueAt(entry, ['retryStrategy'], undefined) : entry;
}

/** Describes a resource as the deployment has it. */
export function describeRemote(
  section: Section,
  row: JsonObject,
  { labelOf }: { readonly labelOf: LabelOf },
): JsonObject {
  const form = toRequestBody(kindOf(section).create(row)?.body ?? {}, row) as JsonObject;
  return describe(section, { ...form, ...exportAccess(section, row) }, row.checkType, labelOf);
}

/** Describes a resource as the files declare it. `request`: its body with IDs. `current`: as the deployment has it. */
export function describeWanted(
  section: Section,
  body: JsonObject,
  request: JsonObject,
  current: JsonObject | undefined,
  references: References,
): JsonObject {
  const access = exportAccess(section, body);
  const wanted = describe(section, { ...request, ...access }, body.checkType, references.labelOf);
  if (!current) return wanted;
  const inOrder = withOrderOf(entrySchemaOf(section, body.checkType) ?? {}, wanted, current);
  return keepEqualDates(section, keepChosenFields(section, inOrder, current), current);
}

/** Fields that keep their values if the files leave them out, besides those that no value clears: also values of locked variables. */
const CHOSEN: readonly FieldPath[] = [['heartbeat', 'pingToken'], ['value']];

const chosen = new Map<string, readonly FieldPath[]>();

/** Returns the fields that the service chooses if the files leave them out. */
function chosenFields(section: Section, { checkType }: JsonObject): readonly FieldPath[] {
  if (kindOf(section).replaces) return [];
  const id = `${section} ${checkType}`;
  let fields = chosen.get(id);
  if (!fields) {
    const names = Object.keys(entrySchemaOf(section, checkType)?.properties ?? {});
    const kept = names.filter((name) => clearedValue(section, { checkType }, name) === undefined);
    fields = [...CHOSEN, ...kept.map((name) => [name])];
    chosen.set(id, fields);
  }
  return fields;
}

/** Adds the fields that the files leave out and that keep their values. */
const keepChosenFields = (section: Section, wanted: JsonObject, current: JsonObject): JsonObject =>
  chosenFields(section, current).reduce((body, path) => {
    const value = valueAt(current, path);
    return value === undefined || valueAt(body, path) !== undefined ? body : withValueAt(body, path, value);
  }, wanted);

/** Removes the fields that the service chose because `declared` lacks them. */
export const omitChosenFields = (section: Section, entry: JsonObject, declared: JsonObject): JsonObject =>
  chosenFields(section, entry).reduce(
    (body, path) => (valueAt(declared, path) === undefined ? withValueAt(body, path, undefined) : body),
    entry,
  );

/** Returns the value that clears a field of an entry. Undefined: there is none. */
export function clearedValue(section: Section, entry: JsonObject, name: string): unknown {
  const field = entrySchemaOf(section, entry.checkType)?.properties?.[name];
  if (field && section === 'checks' && name === 'retryStrategy') return retriesWithoutStrategy(entry);
  return emptyValue(field);
}

/** Returns the value of a field that means the same as an absent field. Undefined: there is none. */
export function emptyValue(field: JsonSchema | undefined): unknown {
  if (!field) return undefined;
  if (field.default !== undefined) return field.default;
  const types = [field.type ?? []].flat();
  if (types.includes('null')) return null;
  if (types.includes('array')) return [];
  if (types.includes('boolean')) return false;
  return types.includes('object') ? {} : undefined;
}

/** Replaces dates that mean the same instant as the current value by that value. */
function keepEqualDates(section: Section, wanted: JsonObject, current: JsonObject): JsonObject {
  const schema = entrySchemaOf(section, wanted.checkType);
  const zone = isZone(wanted.timezone) ? wanted.timezone : 'UTC';
  const entries = Object.entries(wanted).map(([name, value]) => {
    const before = current[name];
    const isDate = schema?.properties?.[name]?.format === 'date';
    if (!isDate || typeof value !== 'string' || typeof before !== 'string') return [name, value];
    const instant = Date.parse(before);
    const meant = isBareDate(value)
      ? instantOfDate(value, WINDOW_EDGES[name] ?? 'first', zoneOf(zone))
      : Date.parse(value);
    const isSame = instant === meant;
    return [name, isSame ? before : value];
  });
  return Object.fromEntries(entries);
}
