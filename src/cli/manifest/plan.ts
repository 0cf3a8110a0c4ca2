/** What a seed file asks for, beside what stands: what is to be made, changed and left, and all that is wrong with it. */
import type { Problem } from '../../base/errors.ts';
import { isObject } from '../../base/object.ts';
import { nearest as nearestOf } from '../../base/suggest.ts';
import { isZone, zoneOf } from '../../calendar/zone.ts';
import type { Endpoint, JsonSchema } from '../../contract/index.ts';
import { placeText, violationsOf } from '../../contract/validate.ts';
import { normalizeRequest } from '../edit/to-request.ts';
import { mergeChanges } from '../resource-commands/partial-update.ts';
import { CHECK_TYPE_ENDPOINTS } from '../resources/check-types.ts';
import { toManifestEntry } from './entry.ts';
import { type Fields, formatName, kindOf, SECTIONS, type Section } from './kinds.ts';
import { withoutAccess } from './page-access.ts';
import { namesToIds, toManifestField } from './references.ts';
import { groupByName, type RemoteState } from './remote-state.ts';
import { fillHiddenValues } from './write-only-values.ts';

/** One thing of the file. */
export interface PlanItem {
  readonly section: Section;
  readonly name: string;
  /** As the file has it. */
  readonly body: Fields;
  /** What it is in the service now. */
  readonly remote: Fields | undefined;
  /** Makes it. */
  readonly create: Endpoint;
  /** Left alone: a value that was not exported cannot be made. */
  readonly skipped?: true;
  /** What it is made without: the keys of hidden values that nobody gave. */
  readonly missingValues: readonly string[];
}

export interface Plan {
  readonly items: readonly PlanItem[];
  readonly problems: readonly Problem[];
}

type Path = readonly (string | number)[];

interface PlanContext {
  /** File, line and column of a path. */
  readonly formatLocation: (path: Path) => string;
  /** Hidden values that the file leaves out, by their keys. */
  readonly values: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function createPlan(
  given: Fields,
  standing: RemoteState,
  { formatLocation, values, now }: PlanContext,
): Plan {
  const problems: Problem[] = [];
  const addProblem = (path: Path, message: string, more: Partial<Problem> = {}) =>
    problems.push({ place: formatLocation(path), message, ...more });
  for (const key of Object.keys(given)) {
    if ((SECTIONS as readonly string[]).includes(key)) continue;
    const near = nearestOf(key, SECTIONS);
    addProblem(
      [key],
      `unknown section "${key}"; sections: ${SECTIONS.join(', ')}`,
      near === undefined ? {} : { nearest: near },
    );
  }
  const listOf = (section: Section): readonly unknown[] => {
    const list = given[section];
    if (list === undefined || list === null) return [];
    if (Array.isArray(list)) return list;
    addProblem([section], 'must be a list');
    return [];
  };
  const known = countNames(standing, listOf);
  const items = SECTIONS.flatMap((section) => {
    const kind = kindOf(section);
    const there = groupByName(section, standing[section]);
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
          allowed: Object.keys(CHECK_TYPE_ENDPOINTS),
        });
        return [];
      }
      const name = formatName(kind, body);
      const type = kind.typeField === undefined ? undefined : body[kind.typeField];
      const place = seen.get(`${type} ${name}`) ?? 0;
      seen.set(`${type} ${name}`, place + 1);
      const named = there.get(name) ?? [];
      const stands =
        kind.typeField === undefined ? named[place] : filterByType(kind.typeField, type, named)[place];
      // With more of the name in the file than there are, this one is new.
      const isSameName = (other: unknown) => isObject(other) && formatName(kind, other) === name;
      const ofName = listOf(section).filter(isSameName).length;
      if (kind.typeField !== undefined && stands === undefined && ofName <= named.length) {
        const types = [...new Set(named.map((one) => String(one[kind.typeField ?? '']).toLowerCase()))];
        addProblem(
          [...at, kind.typeField],
          `the type of ${kind.noun} "${name}" cannot change from ${types.join(' and ')}: use another name, or delete the resource first`,
        );
      }
      const isSkipped = section === 'variables' && body.value === undefined && body.secret === true;
      const { validated, sent, missingValues } = fillHiddenValues(section, body, stands, values);
      const { checkType: _, ...said } = withoutAccess(section, validated);
      const requested = namesToIds(
        create.body ?? {},
        { ...kind.fill?.(body), ...said },
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
      const judged = isSkipped ? { ...requested, value: '' } : requested;
      for (const { in: part, path, message, allowed, nearest } of violationsOf(
        create,
        { body: judged },
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
          ...{ section, name, body: sent, remote: stands, create, missingValues },
          ...(isSkipped && !stands ? { skipped: true } : {}),
        },
      ];
    });
  });
  return { items, problems };
}

const filterByType = (typed: string, type: unknown, named: readonly Fields[]): readonly Fields[] =>
  named.filter((one) => one[typed] === type);

/** A variable with the value that was given besides the file. */
function fillVariable(variable: Fields, values: ReadonlyMap<string, string>): Fields {
  const value = variable.value === undefined ? values.get(String(variable.key)) : undefined;
  return value === undefined ? variable : { ...variable, value };
}

/** What stands for an id while the rest of a body is judged. */
const placeholderId = (to: Section): unknown =>
  ['groups', 'alertChannels', 'snippets'].includes(to) ? 1 : '00000000-0000-4000-8000-000000000000';

/** How many there would be of each name, once the file is in the service. */
function countNames(standing: RemoteState, listOf: (section: Section) => readonly unknown[]) {
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
    const counts = count(standing[section]);
    const list = Array.isArray(listOf(section)) ? listOf(section) : [];
    for (const [name, number] of count(list)) counts.set(name, Math.max(number, counts.get(name) ?? 0));
    return [section, counts] as const;
  });
  return Object.fromEntries(entries) as unknown as Readonly<Record<Section, ReadonlyMap<string, number>>>;
}

/** What changes of one that stands: the fields to be sent; nothing where it is so already. `request`: with ids. */
export function diffItem({ section, remote = {} }: PlanItem, request: Fields): Fields | undefined {
  const kind = kindOf(section);
  const schema = kind.create(remote)?.body ?? {};
  const stands = toManifestEntry(section, remote);
  // What is never shown cannot be compared: it is taken to be so. What is only not set yet is a change.
  const unshown = [...Object.keys(kind.fill?.(remote) ?? {}), ...(kind.writeOnly ?? [])];
  const shown = Object.fromEntries(
    Object.entries(request).filter(([name]) => name in remote || name in stands || !unshown.includes(name)),
  );
  const whole = { ...stands, ...mergeChanges(schema, stands, shown) };
  const zone = isZone(whole.timezone) ? whole.timezone : 'UTC';
  const dated = keepEqualDates(schema, stands, whole, zone);
  const text = (value: unknown) => JSON.stringify(normalizeRequest(schema, value));
  if (text(stands) === text(dated)) return undefined;
  const update = kind.update(remote);
  const names = Object.keys(update.body?.properties ?? {});
  const sent = kind.replaces
    ? dated
    : Object.fromEntries(Object.keys(shown).map((name) => [name, dated[name]]));
  return Object.fromEntries(Object.entries(sent).filter(([name]) => names.includes(name)));
}

/** Dates that mean the same instant as what stands are written as that. */
function keepEqualDates(schema: JsonSchema, stands: Fields, whole: Fields, zone: string): Fields {
  const entries = Object.entries(whole).map(([name, value]) => {
    const before = stands[name];
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
