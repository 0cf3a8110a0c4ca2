/** Omits what files do not have to say: defaults of the contract, unset fields, and objects that hold nothing else. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../../base/object.ts';
import type { JsonSchema } from '../../../contract/index.ts';

const isNullable = ({ type }: JsonSchema): boolean => [type ?? []].flat().includes('null');
const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Whether an object that holds only defaults still differs from an absent one: it turns retries on, or hides a password. */
const hasMeaningWhenEmpty = ({ 'x-null': onNull, properties = {} }: JsonSchema): boolean =>
  onNull !== undefined || Object.values(properties).some(({ writeOnly }) => writeOnly);

/** Whether null differs from an absent field. */
const hasMeaningWhenNull = (schema: JsonSchema): boolean =>
  isNullable(schema) && (schema['x-null'] ?? schema.default) !== undefined;

/** Returns the value without the fields that an absent field would mean as well. */
export function omitDefaults<T>(schema: JsonSchema, value: T): T {
  if (Array.isArray(value)) return value.map((item) => omitDefaults(schema.items ?? {}, item)) as T;
  if (!isObject(value)) return value;
  const fields = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    const field = schema.properties?.[name];
    if (field === undefined) return [[name, item]];
    if (schema.required?.includes(name)) return [[name, omitDefaults(field, item)]];
    if (item === undefined || isDeepStrictEqual(item, field.default)) return [];
    if (item === null) return hasMeaningWhenNull(field) ? [[name, null]] : [];
    const short = omitDefaults(field, item);
    if (!isEmpty(short) || field.default !== undefined) return [[name, short]];
    return isObject(item) && hasMeaningWhenEmpty(field) ? [[name, firstField(item)]] : [];
  });
  return Object.fromEntries(fields) as T;
}

/** Returns an object with its first field alone, because `{}` reads like nothing. */
const firstField = (value: JsonObject): JsonObject => Object.fromEntries(Object.entries(value).slice(0, 1));
