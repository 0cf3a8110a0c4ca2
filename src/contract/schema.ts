/** The few words in which the contract is written: plain JSON Schema with a TypeScript type on top. Build time only. */
import Type, {
  type Static,
  type TObjectOptions,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from 'typebox';
import type { ValueNames } from './endpoint.ts';

export { Type };

/**
 * What a schema may say besides JSON Schema's own words. `x-gaps` names the keywords that only our reading of the
 * specification's gaps knows (`*`: the whole field): the service enforces them, the client only warns.
 */
export interface Notes {
  description?: string;
  default?: unknown;
  deprecated?: boolean;
  'x-gaps'?: readonly string[];
  /** Never shown: variables, passwords, keys. */
  writeOnly?: boolean;
  /** Unit of a number, for help. */
  'x-unit'?: string;
  /** What null says, where leaving the field out does not say it. */
  'x-null'?: string;
  /** Where its values are called by names: see value-names.ts. */
  'x-values'?: ValueNames;
  [keyword: string]: unknown;
}

/** A known value of an enumeration, or one that a newer deployment added. */
export type Open<T extends string> = T | (string & {});

export const string = (description: string, notes: Notes = {}) => Type.String({ description, ...notes });
export const number = (description: string, notes: Notes = {}) => Type.Number({ description, ...notes });
export const integer = (description: string, notes: Notes = {}) => Type.Integer({ description, ...notes });
export const boolean = (description: string, notes: Notes = {}) => Type.Boolean({ description, ...notes });
export const uuid = (description: string, notes: Notes = {}) =>
  Type.String({ description, format: 'uuid', ...notes });
/** A calendar date, or (as deployments answer) a whole timestamp. */
export const date = (description: string, notes: Notes = {}) =>
  Type.String({ description, format: 'date', ...notes });
/** An ISO 8601 timestamp (a bare date is read too). */
export const dateTime = (description: string, notes: Notes = {}) =>
  Type.String({ description, format: 'date-time', ...notes });

/** One of some strings. */
export const oneOf = <const T extends readonly string[]>(values: T, description: string, notes: Notes = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, description, ...notes });
/** One of some numbers. */
export const oneOfNumbers = <const T extends readonly number[]>(
  values: T,
  description: string,
  notes: Notes = {},
) => Type.Unsafe<T[number]>({ type: 'number', enum: values, description, ...notes });
/** An enumeration in an answer: open, as deployments add values. */
export const openOneOf = <const T extends readonly string[]>(
  values: T,
  description: string,
  notes: Notes = {},
) => Type.Unsafe<Open<T[number]>>({ type: 'string', enum: values, description, ...notes });

/** An array. */
export const array = <T extends TSchema>(items: T, description: string, notes: Notes = {}) =>
  Type.Array(items, { description, ...notes });

/** An object that knows all its fields: what a request may hold. */
export const closed = <T extends TProperties>(properties: T, notes: Notes = {}) =>
  Type.Object(properties, { ...notes, additionalProperties: false } as TObjectOptions);
/** An object that may hold more than we know: what an answer is. */
export const open = <T extends TProperties>(properties: T, notes: Notes = {}) =>
  Type.Object(properties, notes as TObjectOptions);
/** Any object. */
export const anyObject = (description: string, notes: Notes = {}) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', description, ...notes });

/** The same schema, or null: `type: [T, "null"]`, so that a violation is one message. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: values, ...rest } = schema as { type?: string | string[]; enum?: readonly unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [...(Array.isArray(type) ? type : [type ?? 'object']), 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  });
}

export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema) as TOptional<T>;

type AllOptional<T extends TProperties> = { [K in keyof T]: TOptional<T[K]> };
/** All of these fields, none of them required. */
export function allOptional<T extends TProperties>(properties: T): AllOptional<T> {
  const entries = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(entries) as AllOptional<T>;
}

/** The same schema with other notes: a default that only a request has, a description that fits the place. */
export function noted<T extends TSchema>(schema: T, notes: Notes): TUnsafe<Static<T>> {
  return Type.Unsafe<Static<T>>({ ...schema, ...notes });
}

/** The same schema without its default, as answers state it. */
export function withoutDefault<T extends TSchema>(schema: T): TUnsafe<Static<T>> {
  const { default: _default, ...rest } = schema as { default?: unknown };
  return Type.Unsafe<Static<T>>(rest);
}
