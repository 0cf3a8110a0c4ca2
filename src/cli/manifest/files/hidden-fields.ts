/** Finds the values of an entry that output must not contain: passwords, and variables and headers that are secret. */
import { isObject } from '../../../base/object.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import type { Path } from '../manifest.ts';

interface HiddenText {
  readonly path: Path;
  readonly text: string;
}

/** Returns whether an object hides its write-only fields. Pairs of a key and a value hide the value if they say so. */
const hides = (
  value: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, JsonSchema>>,
): boolean => ('locked' in known ? value.secret === true || value.locked === true : true);

/** Returns the hidden texts of a value that are not empty. */
export function listHiddenTexts(
  schema: JsonSchema | undefined,
  value: unknown,
  path: Path = [],
): readonly HiddenText[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => listHiddenTexts(schema?.items, item, [...path, index]));
  const known = schema?.properties;
  if (!isObject(value) || !known) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const field = known[name];
    if (!field?.writeOnly) return listHiddenTexts(field, item, [...path, name]);
    return typeof item === 'string' && item !== '' && hides(value, known)
      ? [{ path: [...path, name], text: item }]
      : [];
  });
}
