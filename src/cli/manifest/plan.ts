/** What a seed file asks for, beside what stands: what is to be made, changed and left, and all that is wrong with it. */
import type { Problem } from '../../base/errors.ts';
import { isObject } from '../../base/object.ts';
import { findNearest as nearestOf } from '../../base/suggest.ts';
import { isZone, zoneOf } from '../../calendar/zone.ts';
import type { Endpoint, JsonSchema } from '../../contract/index.ts';
import { placeText, violationsOf } from '../../contract/validate.ts';
import { comparable } from '../edit/to-request.ts';
import { mergedInto } from '../resource-commands/partial-update.ts';
import { CHECK_KINDS } from '../resources/check-types.ts';
import { formOf } from './entry.ts';
import { type Fields, kindOf, nameText, SECTIONS, type Section } from './kinds.ts';
import { withoutAccess } from './page-access.ts';
import { nameOfField, withIds } from './references.ts';
import { byName, type Standing } from './remote-state.ts';
import { fillHidden } from './write-only-values.ts';

/** One thing of the file. */
export interface Item {
  readonly section: Section;
  readonly name: string;
  /** As the file has it. */
  readonly body: Fields;
  /** What it is in the service now. */
  readonly standing: Fields | undefined;
  /** Makes it. */
  readonly create: Endpoint;
  /** Left alone: a value that was not exported cannot be made. */
  readonly skipped?: true;
  /** What it is made without: the keys of hidden values that nobody gave. */
  readonly lacks: readonly string[];
}

export interface Plan {
  readonly items: readonly Item[];
  readonly problems: readonly Problem[];
}

type Path = readonly (string | number)[];

interface Surroundings {
  /** File, line and column of a path. */
  readonly placeOf: (path: Path) => string;
  /** Hidden values that the file leaves out, by their keys. */
  readonly values: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function planOf(given: Fields, standing: Standing, { placeOf, values, now }: Surroundings): Plan {
  const problems: Problem[] = [];
  const wrong = (path: Path, message: string, more: Partial<Problem> = {}) =>
    problems.push({ place: placeOf(path), message, ...more });
  for (const key of Object.keys(given)) {
    if ((SECTIONS as readonly string[]).includes(key)) continue;
    const near = nearestOf(key, SECTIONS);
    wrong(
      [key],
      `unknown section "${key}"; sections: ${SECTIONS.join(', ')}`,
      near === undefined ? {} : { nearest: near },
    );
  }
  const listOf = (section: Section): readonly unknown[] => {
    const list = given[section];
    if (list === undefined || list === null) return [];
    if (Array.isArray(list)) return list;
    wrong([section], 'must be a list');
    return [];
  };
  const known = knownNames(standing, listOf);
  const items = SECTIONS.flatMap((section) => {
    const kind = kindOf(section);
    const there = byName(section, standing[section]);
    const seen = new Map<string, number>();
    return listOf(section).flatMap((written, index): readonly Item[] => {
      const at: Path = [section, index];
      if (!isObject(written)) {
        wrong(at, 'must contain fields with values (name: value)');
        return [];
      }
      const body = section === 'variables' ? withValue(written, values) : written;
      const create = kind.create(body);
      if (!create) {
        wrong([...at, 'checkType'], 'checkType must be a check type', {
          allowed: Object.keys(CHECK_KINDS),
        });
        return [];
      }
      const name = nameText(kind, body);
      const type = kind.typed === undefined ? undefined : body[kind.typed];
      const place = seen.get(`${type} ${name}`) ?? 0;
      seen.set(`${type} ${name}`, place + 1);
      const named = there.get(name) ?? [];
      const stands = kind.typed === undefined ? named[place] : ofType(kind.typed, type, named)[place];
      // With more of the name in the file than there are, this one is new.
      const isSameName = (other: unknown) => isObject(other) && nameText(kind, other) === name;
      const ofName = listOf(section).filter(isSameName).length;
      if (kind.typed !== undefined && stands === undefined && ofName <= named.length) {
        const types = [...new Set(named.map((one) => String(one[kind.typed ?? '']).toLowerCase()))];
        wrong(
          [...at, kind.typed],
          `the type of ${kind.noun} "${name}" cannot change from ${types.join(' and ')}: use another name, or delete the resource first`,
        );
      }
      const isSkipped = section === 'variables' && body.value === undefined && body.secret === true;
      const { judged: whole, sent, lacks } = fillHidden(section, body, stands, values);
      const { checkType: _, ...said } = withoutAccess(section, whole);
      const requested = withIds(create.body ?? {}, { ...kind.fill?.(body), ...said }, (value, to, path) => {
        const count = known[to].get(String(value)) ?? 0;
        const noun = kindOf(to).noun;
        if (count === 0) {
          const near = nearestOf(String(value), [...known[to].keys()]);
          wrong(
            [...at, ...path],
            `${noun} "${value}" not found in this file or in the service`,
            near === undefined ? {} : { nearest: near },
          );
        } else if (count > 1)
          wrong([...at, ...path], `"${value}" is ambiguous: ${count} resources have this name; rename one`);
        return sampleId(to);
      });
      const judged = isSkipped ? { ...requested, value: '' } : requested;
      for (const { in: part, path, message, allowed, nearest } of violationsOf(
        create,
        { body: judged },
        now,
      )) {
        if (part !== 'body') continue;
        const steps = path.map(nameOfField);
        wrong([...at, ...steps], `${placeText(steps)} ${message}`, {
          ...(allowed ? { allowed: allowed.map(String) } : {}),
          ...(nearest === undefined ? {} : { nearest }),
        });
      }
      return [
        {
          ...{ section, name, body: sent, standing: stands, create, lacks },
          ...(isSkipped && !stands ? { skipped: true } : {}),
        },
      ];
    });
  });
  return { items, problems };
}

const ofType = (typed: string, type: unknown, named: readonly Fields[]): readonly Fields[] =>
  named.filter((one) => one[typed] === type);

/** A variable with the value that was given besides the file. */
function withValue(variable: Fields, values: ReadonlyMap<string, string>): Fields {
  const value = variable.value === undefined ? values.get(String(variable.key)) : undefined;
  return value === undefined ? variable : { ...variable, value };
}

/** What stands for an id while the rest of a body is judged. */
const sampleId = (to: Section): unknown =>
  ['groups', 'alertChannels', 'snippets'].includes(to) ? 1 : '00000000-0000-4000-8000-000000000000';

/** How many there would be of each name, once the file is in the service. */
function knownNames(standing: Standing, listOf: (section: Section) => readonly unknown[]) {
  const entries = SECTIONS.map((section) => {
    const kind = kindOf(section);
    const count = (rows: readonly unknown[]) => {
      const counts = new Map<string, number>();
      for (const row of rows.filter(isObject)) {
        const name = nameText(kind, row);
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
export function changeOf({ section, standing = {} }: Item, request: Fields): Fields | undefined {
  const kind = kindOf(section);
  const schema = kind.create(standing)?.body ?? {};
  const stands = formOf(section, standing);
  // What is never shown cannot be compared: it is taken to be so. What is only not set yet is a change.
  const unshown = [...Object.keys(kind.fill?.(standing) ?? {}), ...(kind.unshown ?? [])];
  const shown = Object.fromEntries(
    Object.entries(request).filter(([name]) => name in standing || name in stands || !unshown.includes(name)),
  );
  const whole = { ...stands, ...mergedInto(schema, stands, shown) };
  const zone = isZone(whole.timezone) ? whole.timezone : 'UTC';
  const dated = sameDates(schema, stands, whole, zone);
  const text = (value: unknown) => JSON.stringify(comparable(schema, value));
  if (text(stands) === text(dated)) return undefined;
  const update = kind.update(standing);
  const names = Object.keys(update.body?.properties ?? {});
  const sent = kind.replaces
    ? dated
    : Object.fromEntries(Object.keys(shown).map((name) => [name, dated[name]]));
  return Object.fromEntries(Object.entries(sent).filter(([name]) => names.includes(name)));
}

/** Dates that mean the same instant as what stands are written as that. */
function sameDates(schema: JsonSchema, stands: Fields, whole: Fields, zone: string): Fields {
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
