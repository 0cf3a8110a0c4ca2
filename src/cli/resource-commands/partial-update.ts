/** Changes of a part: what is given of an object is laid over what stands, so that nothing of the rest is lost. */
import { isObject } from '../../base/object.ts';
import type { SchemaError, Validator } from '../../contract/endpoint.ts';
import type { Endpoint, JsonSchema } from '../../contract/index.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Inside of an object and of no list: there a part may be left out, and null takes it away. */
const isInside = ({ instancePath }: SchemaError): boolean =>
  instancePath !== '' &&
  instancePath
    .split('/')
    .slice(1)
    .every((step) => !/^\d+$/.test(step));

/** Whether a problem is none once what is given is laid over what stands. */
function isAllowed(error: SchemaError, body: unknown, atRoot: boolean): boolean {
  if (error.keyword === 'required') return isInside(error) || (atRoot && error.instancePath === '');
  const steps = error.instancePath.split('/').slice(1);
  const value = steps.reduce<unknown>((here, step) => (isObject(here) ? here[step] : here), body);
  return steps.length > 1 && isInside(error) && value === null;
}

/**
 * The endpoint for a body of which parts are left out: whether the whole is right shows together with what stands. `where`: inside of
 * its fields alone, for endpoints that themselves take parts, or fields of the body as well.
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

/** What stands for a field that is not there; undefined: nothing does. */
function emptyValue(schema: JsonSchema | undefined, isRoot: boolean): unknown {
  if (isNullable(schema)) return null;
  const types = [schema?.type ?? []].flat();
  if (types.includes('boolean')) return schema?.default ?? false;
  if (types.includes('array')) return [];
  // A change takes it out of what it stands in, and sends that whole.
  return isRoot ? undefined : null;
}

/** The way back from a change of a part. */
export interface UndoBody {
  /** What stood, and for what the change adds what takes it away. */
  readonly body: Fields;
  /** The fields that it adds and nothing takes away. */
  readonly notRemovable: readonly string[];
}

/** What a change of a part needs to be undone by another: that one leaves as it is what it does not name. `before`: as it was shown. */
export function createUndoBody(schema: JsonSchema, before: Fields, after: Fields): UndoBody {
  const stays: string[] = [];
  const restoreFields = (
    here: JsonSchema | undefined,
    stood: Fields,
    stands: Fields,
    isRoot: boolean,
  ): Fields => {
    const fields = { ...stood };
    for (const [name, value] of Object.entries(stands)) {
      const field = here?.properties?.[name];
      const earlier = stood[name];
      if (earlier === undefined && value !== undefined) {
        const nothing = emptyValue(field, isRoot);
        if (nothing === undefined) stays.push(name);
        else fields[name] = nothing;
      } else if (isObject(earlier) && isObject(value))
        fields[name] = restoreFields(field, earlier, value, false);
    }
    return fields;
  };
  return { body: restoreFields(schema, before, after, true), notRemovable: stays };
}

/** The fields that change, whole: objects field by field over what stands; null takes away what may not be null. */
export function mergeChanges(schema: JsonSchema, standing: Fields, given: Fields): Fields {
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
    Object.entries(given).map(([name, value]) => [
      name,
      merge(schema.properties?.[name], standing[name], value),
    ]),
  );
}
