/** Merges partial updates into the current state, and creates the body that undoes them. */
import { isObject, type JsonObject } from '../../base/object.ts';
import type { SchemaError, Validator } from '../../contract/endpoint.ts';
import type { Endpoint, JsonSchema } from '../../contract/index.ts';

/** Whether a violation is inside an object but no list: a partial update may omit such a field, or remove it with null. */
const isInside = ({ instancePath }: SchemaError): boolean =>
  instancePath !== '' &&
  instancePath
    .split('/')
    .slice(1)
    .every((step) => !/^\d+$/.test(step));

/** Whether a violation disappears after the merge with the current state. */
function isAllowed(error: SchemaError, body: unknown, atRoot: boolean): boolean {
  if (error.keyword === 'required') return isInside(error) || (atRoot && error.instancePath === '');
  const steps = error.instancePath.split('/').slice(1);
  const value = steps.reduce<unknown>((here, step) => (isObject(here) ? here[step] : here), body);
  return steps.length > 1 && isInside(error) && value === null;
}

/**
 * Returns the endpoint with a validator that accepts partial bodies; the merged body is validated later. `where`: whether only
 * nested fields may be missing, or top-level fields as well.
 */
export function toPartialEndpoint<E extends Endpoint>(
  endpoint: E,
  where: 'inside' | 'also at its root' = 'inside',
): E {
  const atRoot = where !== 'inside';
  const strict = endpoint.validate.body;
  if (!strict) return endpoint;
  const lenient: Validator = (body) => {
    lenient.errors = strict(body)
      ? null
      : (strict.errors ?? []).filter((error) => !isAllowed(error, body, atRoot));
    return (lenient.errors ?? []).length === 0;
  };
  const body = atRoot && endpoint.body ? { body: { ...endpoint.body, required: [] } } : {};
  return { ...endpoint, ...body, validate: { ...endpoint.validate, body: lenient } };
}

const isNullable = (schema: JsonSchema | undefined): boolean => [schema?.type ?? []].flat().includes('null');

/** Returns the value that means "not set". Undefined: there is none. */
function emptyValue(schema: JsonSchema | undefined, isRoot: boolean): unknown {
  if (isNullable(schema)) return null;
  const types = [schema?.type ?? []].flat();
  if (types.includes('boolean')) return schema?.default ?? false;
  if (types.includes('array')) return [];
  // A nested field is removed by sending the object around it without the field.
  return isRoot ? undefined : null;
}

export interface UndoBody {
  /** The previous values, and a value that clears each field that the update adds. */
  readonly body: JsonObject;
  /** The added fields that no value clears. */
  readonly notRemovable: readonly string[];
}

/** Returns the partial update that undoes an update. `before`: as the API returned it. */
export function createUndoBody(schema: JsonSchema, before: JsonObject, after: JsonObject): UndoBody {
  const notRemovable: string[] = [];
  const restoreFields = (
    here: JsonSchema | undefined,
    previous: JsonObject,
    next: JsonObject,
    isRoot: boolean,
  ): JsonObject => {
    const fields = { ...previous };
    for (const [name, value] of Object.entries(next)) {
      const field = here?.properties?.[name];
      const earlier = previous[name];
      if (earlier === undefined && value !== undefined) {
        const nothing = emptyValue(field, isRoot);
        if (nothing === undefined) notRemovable.push(name);
        else fields[name] = nothing;
      } else if (isObject(earlier) && isObject(value))
        fields[name] = restoreFields(field, earlier, value, false);
    }
    return fields;
  };
  return { body: restoreFields(schema, before, after, true), notRemovable };
}

/** Fields whose valid values depend on another field. If that one changes, the deployment chooses a new value. */
export const DEPENDENT_FIELDS: Readonly<Record<string, string>> = { frequencyOffset: 'frequency' };

/** Removes dependent fields from a merged body if the field on which they depend changes, unless the changes set them. */
export const withoutStaleFields = (
  merged: JsonObject,
  current: JsonObject,
  changes: JsonObject,
): JsonObject =>
  Object.fromEntries(
    Object.entries(merged).filter(([name]) => {
      const other = DEPENDENT_FIELDS[name];
      return other === undefined || name in changes || merged[other] === current[other];
    }),
  );

/** Returns the complete new values of the changed fields. Merges objects; null removes a field that is not nullable. */
export function mergeChanges(schema: JsonSchema, current: JsonObject, changes: JsonObject): JsonObject {
  const merge = (here: JsonSchema | undefined, before: unknown, after: unknown): unknown => {
    if (!isObject(before) || !isObject(after)) return after;
    const merged = { ...before };
    for (const [name, value] of Object.entries(after)) {
      const field = here?.properties?.[name];
      if (value === null && !isNullable(field)) delete merged[name];
      else merged[name] = merge(field, before[name], value);
    }
    return merged;
  };
  return Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [
      name,
      merge(schema.properties?.[name], current[name], value),
    ]),
  );
}
