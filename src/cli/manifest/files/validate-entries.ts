/** Validates the entries of a manifest against the contract, without a service. */
import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/object.ts';
import { findNearest } from '../../../base/suggest.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { placeText, violationsOf } from '../../../contract/validate.ts';
import { schemaAtPath } from '../../framework/request-fields.ts';
import { kindOf, SECTIONS, type Section } from '../kinds.ts';
import type { Manifest, ManifestEntry, Path } from '../manifest.ts';
import { withoutAccess } from '../manifest-entry.ts';
import { namesToIds, REFERENCES, toManifestField } from '../references.ts';
import { fillHiddenValues, lacksValue } from '../write-only-values.ts';
import { entrySchemaOf, REPLACED_FIELDS } from './entry-schema.ts';
import { comparePlaces } from './problems.ts';

/** The names of resources that exist without the manifest, by section. A name that several resources have occurs several times. */
export type KnownNames = Readonly<Partial<Record<Section, readonly string[]>>>;

type AddProblem = (path: Path, message: string, more?: Partial<Problem>) => void;

/** Returns all problems. `now`: milliseconds since the epoch. */
export function validateEntries(
  { entries }: Pick<Manifest, 'entries'>,
  known: KnownNames,
  now: number,
): readonly Problem[] {
  const problems: Problem[] = [];
  const names = countNames(entries, known);
  for (const entry of entries) {
    const addProblem: AddProblem = (path, message, more = {}) =>
      problems.push({ place: entry.formatLocation(path), message, ...more });
    validateEntry(entry, names, now, addProblem);
  }
  return problems.sort(comparePlaces);
}

type NameCounts = ReadonlyMap<Section, ReadonlyMap<string, number>>;

/** Counts the resources that a reference by name may mean. A name that the manifest declares means only its entries. */
function countNames(entries: readonly ManifestEntry[], known: KnownNames): NameCounts {
  const count = (names: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
  };
  const declared = (section: Section) =>
    entries.filter((entry) => entry.section === section).map(({ name }) => name);
  return new Map(
    SECTIONS.map((section) => [
      section,
      new Map([...count(known[section] ?? []), ...count(declared(section))]),
    ]),
  );
}

function validateEntry(
  { section, body }: ManifestEntry,
  names: NameCounts,
  now: number,
  addProblem: AddProblem,
): void {
  const kind = kindOf(section);
  const create = kind.create(body);
  const schema = entrySchemaOf(section, body.checkType);
  if (!create?.body || !schema) return;
  const replaced = reportIds(section, schema, body, addProblem);
  const hidden = fillHiddenValues(section, body, undefined, new Map()).validated;
  const { checkType: _, ...fields } = withoutAccess(section, omit(hidden, replaced));
  const request = namesToIds(
    create.body,
    { ...kind.fill?.(body), ...fields, ...(lacksValue(section, body) ? { value: '' } : {}) },
    (value, to, path) => {
      reportReference(value, to, names, (message, more) => addProblem(path, message, more));
      return placeholderId(to);
    },
  );
  for (const { in: part, path, keyword, message, allowed, nearest } of violationsOf(
    create,
    { body: request },
    now,
  )) {
    if (part !== 'body') continue;
    const steps = path.map(toManifestField);
    if (keyword === 'additionalProperties') {
      addProblem(steps, `${placeText(steps)} ${message}`, suggestField(schema, steps));
      continue;
    }
    addProblem(steps, `${placeText(steps)} ${message}`, {
      ...(allowed ? { allowed: allowed.map(String) } : {}),
      ...(nearest === undefined ? {} : { nearest }),
    });
  }
}

const omit = (fields: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** Reports the top-level fields of the API that files replace, such as `groupId`, and returns their names. */
function reportIds(
  section: Section,
  schema: JsonSchema,
  body: JsonObject,
  addProblem: AddProblem,
): readonly string[] {
  return Object.keys(body).filter((name) => {
    const reference = REFERENCES.find(({ field }) => field === name);
    const other = reference && schema.properties?.[reference.name];
    const way = other
      ? `use ${reference.name}, with the name of the ${kindOf(reference.to).noun}`
      : REPLACED_FIELDS[section]?.[name];
    if (way === undefined) return false;
    addProblem([name], `${name} is not a field of files: ${way}`);
    return true;
  });
}

function reportReference(
  value: unknown,
  to: Section,
  names: NameCounts,
  report: (message: string, more?: Partial<Problem>) => void,
): void {
  const { noun } = kindOf(to);
  if (typeof value === 'object') {
    report(`must be the name of one ${noun}`);
    return;
  }
  const known = names.get(to) ?? new Map<string, number>();
  const count = known.get(String(value)) ?? 0;
  if (count > 1) report(`${noun} "${value}" is ambiguous: ${count} have this name; rename all but one`);
  if (count > 0) return;
  const nearest = findNearest(String(value), [...known.keys()]);
  report(
    `${noun} "${value}" not found in the files or in the service`,
    nearest === undefined ? {} : { nearest },
  );
}

/** Returns an ID with which the rest of a body can be validated. */
const placeholderId = (to: Section): unknown =>
  ['groups', 'alertChannels', 'snippets'].includes(to) ? 1 : '00000000-0000-4000-8000-000000000000';

/** Suggests a field for an unknown one: a similar one beside it, or one of the same name in a field beside it. */
function suggestField(schema: JsonSchema, path: Path): Partial<Problem> {
  const siblings = schemaAtPath(schema, path.slice(0, -1))?.properties ?? {};
  const name = String(path.at(-1));
  const inner = Object.entries(siblings).find(([, field]) => field.properties?.[name]);
  const nearest = inner ? `${inner[0]}.${name}` : findNearest(name, Object.keys(siblings));
  return { allowed: Object.keys(siblings), ...(nearest === undefined ? {} : { nearest }) };
}
