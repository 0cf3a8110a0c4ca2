/** Plans how to bring a service to the state of a manifest, and validates the manifest. */

import type { Problem } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/object.ts';
import { findNearest as nearestOf } from '../../base/suggest.ts';
import { isZone, zoneOf } from '../../calendar/zone.ts';
import { CHECK_TYPE_NAMES } from '../../contract/check-type-facts.ts';
import type { Endpoint, JsonSchema } from '../../contract/index.ts';
import { placeText, violationsOf } from '../../contract/validate.ts';
import { mergeChanges } from '../edit/partial-update.ts';
import { normalizeRequest } from '../edit/to-request.ts';
import { formatName, kindOf, SECTIONS, type Section } from './kinds.ts';
import { toManifestEntry, withoutAccess } from './manifest-entry.ts';
import { namesToIds, toManifestField } from './references.ts';
import { groupByName, type RemoteState } from './remote-state.ts';
import { fillHiddenValues } from './write-only-values.ts';

/** One entry of the manifest. */
export interface PlanItem {
  readonly section: Section;
  readonly name: string;
  readonly body: JsonObject;
  /** The current resource; undefined: it does not exist. */
  readonly remote: JsonObject | undefined;
  readonly create: Endpoint;
  /** Set if the entry cannot be created, because its value was not exported. */
  readonly skipped?: true;
  /** The keys of hidden values that are not available. */
  readonly missingValues: readonly string[];
}

export interface Plan {
  readonly items: readonly PlanItem[];
  readonly problems: readonly Problem[];
}

type Path = readonly (string | number)[];

interface PlanContext {
  /** Returns file, line and column of a path. */
  readonly formatLocation: (path: Path) => string;
  /** Hidden values that the file omits, by key. */
  readonly values: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function createPlan(
  manifest: JsonObject,
  state: RemoteState,
  { formatLocation, values, now }: PlanContext,
): Plan {
  const problems: Problem[] = [];
  const addProblem = (path: Path, message: string, more: Partial<Problem> = {}) =>
    problems.push({ place: formatLocation(path), message, ...more });
  for (const key of Object.keys(manifest)) {
    if ((SECTIONS as readonly string[]).includes(key)) continue;
    const near = nearestOf(key, SECTIONS);
    addProblem(
      [key],
      `unknown section "${key}"; sections: ${SECTIONS.join(', ')}`,
      near === undefined ? {} : { nearest: near },
    );
  }
  const listOf = (section: Section): readonly unknown[] => {
    const list = manifest[section];
    if (list === undefined || list === null) return [];
    if (Array.isArray(list)) return list;
    addProblem([section], 'must be a list');
    return [];
  };
  const known = countNames(state, listOf);
  const items = SECTIONS.flatMap((section) => {
    const kind = kindOf(section);
    const existing = groupByName(section, state[section]);
    const seen = new Map<string, number>();
    return listOf(section).flatMap((written, index): readonly PlanItem[] => {
      const at: Path = [section, index];
      if (!isObject(written)) {
        addProblem(at, 'must contain fields with values (name: value)');
        return [];
      }
      const body = section === 'variables' ? fillVariable(written, values) : written;
      const create = kind.create(body);
      if (!create) {
        addProblem([...at, 'checkType'], 'checkType must be a check type', {
          allowed: CHECK_TYPE_NAMES,
        });
        return [];
      }
      const name = formatName(kind, body);
      const type = kind.typeField === undefined ? undefined : body[kind.typeField];
      const position = seen.get(`${type} ${name}`) ?? 0;
      seen.set(`${type} ${name}`, position + 1);
      const named = existing.get(name) ?? [];
      const remote =
        kind.typeField === undefined ? named[position] : filterByType(kind.typeField, type, named)[position];
      // An entry is new if the file has more entries with this name than the service.
      const isSameName = (other: unknown) => isObject(other) && formatName(kind, other) === name;
      const ofName = listOf(section).filter(isSameName).length;
      if (kind.typeField !== undefined && remote === undefined && ofName <= named.length) {
        const types = [...new Set(named.map((one) => String(one[kind.typeField ?? '']).toLowerCase()))];
        addProblem(
          [...at, kind.typeField],
          `the type of ${kind.noun} "${name}" cannot change from ${types.join(' and ')}: use another name, or delete the resource first`,
        );
      }
      const isSkipped = section === 'variables' && body.value === undefined && body.secret === true;
      const { validated, sent, missingValues } = fillHiddenValues(section, body, remote, values);
      const { checkType: _, ...fields } = withoutAccess(section, validated);
      const requested = namesToIds(
        create.body ?? {},
        { ...kind.fill?.(body), ...fields },
        (value, to, path) => {
          const count = known[to].get(String(value)) ?? 0;
          const noun = kindOf(to).noun;
          if (count === 0) {
            const near = nearestOf(String(value), [...known[to].keys()]);
            addProblem(
              [...at, ...path],
              `${noun} "${value}" not found in this file or in the service`,
              near === undefined ? {} : { nearest: near },
            );
          } else if (count > 1)
            addProblem(
              [...at, ...path],
              `"${value}" is ambiguous: ${count} resources have this name; rename one`,
            );
          return placeholderId(to);
        },
      );
      const validatedBody = isSkipped ? { ...requested, value: '' } : requested;
      for (const { in: part, path, message, allowed, nearest } of violationsOf(
        create,
        { body: validatedBody },
        now,
      )) {
        if (part !== 'body') continue;
        const steps = path.map(toManifestField);
        addProblem([...at, ...steps], `${placeText(steps)} ${message}`, {
          ...(allowed ? { allowed: allowed.map(String) } : {}),
          ...(nearest === undefined ? {} : { nearest }),
        });
      }
      return [
        {
          section,
          name,
          body: sent,
          remote,
          create,
          missingValues,
          ...(isSkipped && !remote ? { skipped: true } : {}),
        },
      ];
    });
  });
  return { items, problems };
}

const filterByType = (
  typeField: string,
  type: unknown,
  named: readonly JsonObject[],
): readonly JsonObject[] => named.filter((one) => one[typeField] === type);

/** Fills in the value of a variable that the file omits. */
function fillVariable(variable: JsonObject, values: ReadonlyMap<string, string>): JsonObject {
  const value = variable.value === undefined ? values.get(String(variable.key)) : undefined;
  return value === undefined ? variable : { ...variable, value };
}

/** Returns an ID with which the rest of a body can be validated. */
const placeholderId = (to: Section): unknown =>
  ['groups', 'alertChannels', 'snippets'].includes(to) ? 1 : '00000000-0000-4000-8000-000000000000';

/** Counts the resources with each name after the manifest is applied. */
function countNames(state: RemoteState, listOf: (section: Section) => readonly unknown[]) {
  const entries = SECTIONS.map((section) => {
    const kind = kindOf(section);
    const count = (rows: readonly unknown[]) => {
      const counts = new Map<string, number>();
      for (const row of rows.filter(isObject)) {
        const name = formatName(kind, row);
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      return counts;
    };
    const counts = count(state[section]);
    const list = Array.isArray(listOf(section)) ? listOf(section) : [];
    for (const [name, number] of count(list)) counts.set(name, Math.max(number, counts.get(name) ?? 0));
    return [section, counts] as const;
  });
  return Object.fromEntries(entries) as unknown as Readonly<Record<Section, ReadonlyMap<string, number>>>;
}

/** Returns the fields to send for an existing resource. Undefined: nothing changes. `request`: a body with IDs. */
export function diffItem({ section, remote = {} }: PlanItem, request: JsonObject): JsonObject | undefined {
  const kind = kindOf(section);
  const schema = kind.create(remote)?.body ?? {};
  const current = toManifestEntry(section, remote);
  // Write-only fields cannot be compared and count as unchanged. A field that is not set yet is a change.
  const notShown = [...Object.keys(kind.fill?.(remote) ?? {}), ...(kind.writeOnly ?? [])];
  const shown = Object.fromEntries(
    Object.entries(request).filter(([name]) => name in remote || name in current || !notShown.includes(name)),
  );
  const whole = { ...current, ...mergeChanges(schema, current, shown) };
  const zone = isZone(whole.timezone) ? whole.timezone : 'UTC';
  const dated = keepEqualDates(schema, current, whole, zone);
  const text = (value: unknown) => JSON.stringify(normalizeRequest(schema, value));
  if (text(current) === text(dated)) return undefined;
  const update = kind.update(remote);
  const names = Object.keys(update.body?.properties ?? {});
  const sent = kind.replaces
    ? dated
    : Object.fromEntries(Object.keys(shown).map((name) => [name, dated[name]]));
  return Object.fromEntries(Object.entries(sent).filter(([name]) => names.includes(name)));
}

/** Replaces dates that mean the same instant as the current value by that value. */
function keepEqualDates(
  schema: JsonSchema,
  current: JsonObject,
  whole: JsonObject,
  zone: string,
): JsonObject {
  const entries = Object.entries(whole).map(([name, value]) => {
    const before = current[name];
    if (
      schema.properties?.[name]?.format !== 'date' ||
      typeof value !== 'string' ||
      typeof before !== 'string'
    ) {
      return [name, value];
    }
    const instant = Date.parse(before);
    const isBare = /^\d{4}-\d\d-\d\d$/.test(value);
    const isSame = isBare
      ? instant + zoneOf(zone)(instant) === Date.parse(value)
      : instant === Date.parse(value);
    return [name, isSame ? before : value];
  });
  return Object.fromEntries(entries);
}
