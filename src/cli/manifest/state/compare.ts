/** Compares two bodies field by field. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../../base/object.ts';
import type { JsonSchema } from '../../../contract/index.ts';

export type FieldPath = readonly string[];

/** A field that differs; lists are compared as a whole. Undefined: the field is absent. */
export interface FieldDifference {
  readonly path: FieldPath;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns the fields that differ, in the order of `after`. */
export function findDifferences(
  before: JsonObject,
  after: JsonObject,
  path: FieldPath = [],
): readonly FieldDifference[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].flatMap((name): readonly FieldDifference[] => {
    const [one, other, place] = [before[name], after[name], [...path, name]];
    if (isObject(one) && isObject(other)) return findDifferences(one, other, place);
    return isDeepStrictEqual(one, other) ? [] : [{ path: place, before: one, after: other }];
  });
}

export const valueAt = (body: unknown, path: FieldPath): unknown =>
  path.reduce((here, step) => (isObject(here) ? here[step] : undefined), body);

/** Returns the body with another value at a path. Undefined removes the field. */
export function withValueAt(body: JsonObject, [step, ...rest]: FieldPath, value: unknown): JsonObject {
  if (step === undefined) return body;
  const inner = body[step];
  if (value === undefined && rest.length > 0 && !isObject(inner)) return body;
  const next = rest.length === 0 ? value : withValueAt(isObject(inner) ? inner : {}, rest, value);
  if (next === undefined) return Object.fromEntries(Object.entries(body).filter(([name]) => name !== step));
  return { ...body, [step]: next };
}

/** Returns a body in which each list without an order that has the same items in `other` has the order of `other`. */
export const withOrderOf = (schema: JsonSchema, body: JsonObject, other: JsonObject): JsonObject =>
  orderAs(schema, body, other) as JsonObject;

function orderAs(schema: JsonSchema | undefined, value: unknown, other: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(other))
    return schema?.['x-set'] && hasSameItems(value, other) ? other : value;
  if (!isObject(value) || !isObject(other)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      orderAs(schema?.properties?.[name], item, other[name]),
    ]),
  );
}

/** A repeated item counts once. */
function hasSameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  const [these, those] = [new Set(one), new Set(other)];
  return these.size === those.size && [...these].every((item) => those.has(item));
}
