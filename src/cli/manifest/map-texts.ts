/** Maps the texts of a value, wherever they are in it. */
import { isObject } from '../../base/object.ts';
import type { Path } from './manifest.ts';

/** Calls a function with every text of a value, and returns the value with what it returned. */
export function mapTexts(
  value: unknown,
  map: (text: string, path: Path, parent: unknown) => string,
  path: Path = [],
  parent?: unknown,
): unknown {
  if (typeof value === 'string') return map(value, path, parent);
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, map, [...path, index], value));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapTexts(item, map, [...path, name], value)]),
  );
}
