/** Validates an entry of a manifest against the contract, and names the fields as the files do. */
import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/object.ts';
import { findNearest } from '../../../base/suggest.ts';
import type { Violation } from '../../../contract/endpoint.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { isUnstorable, UNSTORABLE_PROBLEM } from '../../../contract/storable.ts';
import { placeText, violationsOf } from '../../../contract/validate.ts';
import { getAtPath, schemaAtPath } from '../../framework/request-fields.ts';
import { kindOf, type Section } from '../kinds.ts';
import type { ManifestEntry, Path } from '../manifest.ts';
import { findInvalidAccess } from '../manifest-entry.ts';
import { REFERENCES, toManifestField } from '../references.ts';
import { placeholderId, toRequest } from '../to-request.ts';
import { fillHiddenValues, lacksValue } from '../write-only-values.ts';
import { entrySchemaOf, REPLACED_FIELDS } from './entry-schema.ts';

/** Returns the broken rules of an entry without a deployment. `onReference`: is called with each name of a resource. */
export function validateAlone(
  entry: ManifestEntry,
  now: number,
  onReference: (name: unknown, section: Section, path: Path) => void = () => {},
): readonly Problem[] {
  const { section, body } = entry;
  const { validated } = fillHiddenValues(section, body, undefined, new Map());
  const request = toRequest(section, validated, (name, to, path) => {
    onReference(name, to, path);
    return placeholderId(to);
  });
  return validateEntry(entry, lacksValue(section, body) ? { ...request, value: '' } : request, now);
}

/** Returns the broken rules. `request`: the entry as the API takes it, with IDs for names. `now`: milliseconds since the epoch. */
export function validateEntry(
  {
    section,
    body,
    formatLocation,
    writtenText,
  }: Pick<ManifestEntry, 'section' | 'body' | 'formatLocation' | 'writtenText'>,
  request: JsonObject,
  now: number,
): readonly Problem[] {
  const create = kindOf(section).create(body);
  const schema = entrySchemaOf(section, body.checkType);
  if (!create || !schema) return [];
  const replaced = Object.keys(body).flatMap((name) => {
    const instead = findReplacement(section, schema, name);
    return instead === undefined ? [] : [{ name, instead }];
  });
  const isReplaced = (name: unknown): boolean => replaced.some((one) => one.name === name);
  const unstorable = findUnstorable(body, []);
  const violations = violationsOf(create, { body: request }, now).filter(
    ({ in: part, path }) => part === 'body' && !isReplaced(path[0]),
  );
  return [
    ...replaced.map(({ name, instead }) => ({
      place: formatLocation([name]),
      message: `${name} is not a field of files: ${instead}`,
    })),
    ...findInvalidAccess(section, body).map((name) => ({
      place: formatLocation([name]),
      message: `${name} must be true or false`,
    })),
    ...unstorable.map((path) => ({
      place: formatLocation(path),
      message: `${placeText(path)} ${UNSTORABLE_PROBLEM}`,
    })),
    ...violations.map((violation) => {
      const path = violation.path.map(toManifestField);
      return {
        place: formatLocation(path),
        ...describeViolation(violation, path, { schema, body, writtenText }),
      };
    }),
  ];
}

/** Returns the paths of texts and field names that the service cannot store. */
function findUnstorable(value: unknown, path: Path): readonly Path[] {
  if (typeof value === 'string') return isUnstorable(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const at = [...path, Array.isArray(value) ? Number(name) : name];
    return isUnstorable(name) ? [path] : findUnstorable(item, at);
  });
}

/** Returns how to write a field of the API in a file; undefined for a field that files have as well. */
function findReplacement(section: Section, schema: JsonSchema, name: string): string | undefined {
  const reference = REFERENCES.find(({ field }) => field === name);
  return reference && reference.name !== name && schema.properties?.[reference.name]
    ? `use ${reference.name}, with the name of the ${kindOf(reference.to).noun}`
    : REPLACED_FIELDS[section]?.[name];
}

function describeViolation(
  { keyword, message, allowed, nearest }: Violation,
  path: Path,
  {
    schema,
    body,
    writtenText,
  }: Pick<ManifestEntry, 'body' | 'writtenText'> & { readonly schema: JsonSchema },
): Pick<Problem, 'message' | 'allowed' | 'nearest'> {
  const sentence = `${placeText(path)} ${message}`;
  if (keyword === 'additionalProperties') return { message: sentence, ...suggestField(schema, path) };
  const value = getAtPath(body, path);
  const isUnquoted =
    keyword === 'type' && message.includes('string') && ['number', 'boolean'].includes(typeof value);
  return {
    message: isUnquoted ? `${sentence}; write "${writtenText?.(path) ?? value}" in quotes` : sentence,
    ...(allowed ? { allowed: allowed.map(String) } : {}),
    ...(nearest === undefined ? {} : { nearest }),
  };
}

/** Suggests a field for an unknown one: a similar one beside it, or one of the same name in a field beside it. */
function suggestField(schema: JsonSchema, path: Path): Pick<Problem, 'allowed' | 'nearest'> {
  const siblings = schemaAtPath(schema, path.slice(0, -1))?.properties ?? {};
  const name = String(path.at(-1));
  const inner = Object.entries(siblings).find(([, field]) => field.properties?.[name]);
  const nearest = inner ? `${inner[0]}.${name}` : findNearest(name, Object.keys(siblings));
  return { allowed: Object.keys(siblings), ...(nearest === undefined ? {} : { nearest }) };
}
