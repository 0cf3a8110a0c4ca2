/** Finds the values of an entry that output must not contain: passwords, and variables and headers that are secret. */
import { isObject } from '../../../base/object.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { hidesSecrets } from '../../../contract/secrets.ts';
import type { Path } from '../manifest.ts';

interface HiddenText {
  readonly path: Path;
  readonly text: string;
}

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
    return typeof item === 'string' && item !== '' && hidesSecrets(schema, value)
      ? [{ path: [...path, name], text: item }]
      : [];
  });
}
