/** Builders for the schemas of the contract: JSON Schema with a TypeScript type. Build time only. */
import Type, {
  type Static,
  type TObjectOptions,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from 'typebox';
import type { SecretKind, ValueNames } from './endpoint.ts';

export { Type };

/**
 * Annotations besides JSON Schema. `x-gaps` lists the keywords that only docs/gaps.md defines (`*`: the whole field): the service
 * enforces them, the client only warns.
 */
export interface Notes {
  description?: string;
  default?: unknown;
  deprecated?: boolean;
  'x-gaps'?: readonly string[];
  /** Never in answers, such as the archive of an upload. Secrets get it from `secret`. */
  writeOnly?: boolean;
  /** The kind of a secret; set by `secret`. All masking is derived from it. */
  'x-secret'?: SecretKind;
  /** Unit of a number, for help. */
  'x-unit'?: string;
  /** Value that other clients send for an unset field; the service reads it as null, or as an absent field. */
  'x-unset'?: string | number;
  /** Value of a required field that other clients omit. */
  'x-absent'?: unknown;
  /** Another name of the field in the published API, which bodies may use instead. */
  'x-alias'?: string;
  /** Whether examples set the field although it is optional. */
  'x-sample'?: true;
  /** Meaning of null, if it differs from an absent field. */
  'x-null'?: string;
  /** Value that a client sends with a whole resource without the field, because deployments require it. */
  'x-sent'?: unknown;
  /** Whether the order of a list has no meaning. */
  'x-set'?: true;
  /** A right value, which the message about a wrong one shows. */
  'x-example'?: string;
  /** Enumeration with names for people (value-names.ts). */
  'x-values'?: ValueNames;
  [keyword: string]: unknown;
}

/** A known value of an enumeration, or one that a newer deployment has added. */
export type Open<T extends string> = T | (string & {});

export const string = (description: string, notes: Notes = {}) => Type.String({ description, ...notes });
/** A text that is a secret: the one mark from which answers, output, files and traces derive what they hide. */
export const secret = (kind: SecretKind, description: string, notes: Notes = {}) =>
  string(description, {
    'x-secret': kind,
    ...(kind === 'once' || kind === 'shown' ? {} : { writeOnly: true }),
    ...notes,
  });
export const number = (description: string, notes: Notes = {}) => Type.Number({ description, ...notes });
export const integer = (description: string, notes: Notes = {}) => Type.Integer({ description, ...notes });
/** A number of seconds since the epoch. */
export const unixSeconds = (description: string) =>
  number(description, {
    minimum: 0,
    'x-unit': 'seconds',
    'x-example': '1785000000 (Unix seconds of 2026-07-25T17:20:00Z)',
  });
export const boolean = (description: string, notes: Notes = {}) => Type.Boolean({ description, ...notes });
export const uuid = (description: string, notes: Notes = {}) =>
  Type.String({ description, format: 'uuid', ...notes });
/** A calendar date, or a timestamp as some deployments return it. */
export const date = (description: string, notes: Notes = {}) =>
  Type.String({ description, format: 'date', ...notes });
/** An ISO 8601 timestamp; a date is also accepted. */
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
/** An enumeration in a response: open, because deployments add values. */
export const openOneOf = <const T extends readonly string[]>(
  values: T,
  description: string,
  notes: Notes = {},
) => Type.Unsafe<Open<T[number]>>({ type: 'string', enum: values, description, ...notes });

/** An array. */
export const array = <T extends TSchema>(items: T, description: string, notes: Notes = {}) =>
  Type.Array(items, { description, ...notes });

/** A list whose order has no meaning. */
export const set = <T extends TSchema>(items: T, description: string, notes: Notes = {}) =>
  array(items, description, { ...notes, 'x-set': true });

/** A closed object, for requests. */
export const closed = <T extends TProperties>(properties: T, notes: Notes = {}) =>
  Type.Object(properties, { ...notes, additionalProperties: false } as TObjectOptions);
/** An open object, for responses. */
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
/** The same fields, all optional. */
export function allOptional<T extends TProperties>(properties: T): AllOptional<T> {
  const entries = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(entries) as AllOptional<T>;
}

/** The same schema with other annotations, such as a default or a description. */
export function noted<T extends TSchema>(schema: T, notes: Notes): TUnsafe<Static<T>> {
  return Type.Unsafe<Static<T>>({ ...schema, ...notes });
}

/** The same schema without its default, for responses. */
export function withoutDefault<T extends TSchema>(schema: T): TUnsafe<Static<T>> {
  const { default: _default, ...rest } = schema as { default?: unknown };
  return Type.Unsafe<Static<T>>(rest);
}
