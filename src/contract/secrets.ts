/** Finds and replaces the secrets of a value by the marks in its schema (`secret` in schema.ts). */
import { isObject } from '../base/object.ts';
import type { JsonSchema, SecretKind, Violation } from './endpoint.ts';

/** Flags by which an object says that its secrets are hidden. */
const FLAGS = ['locked', 'secret'] as const;

/** Returns whether an object of the schema can show its secrets, such as a variable that is not secret. */
export const canShowSecrets = ({ properties = {} }: JsonSchema): boolean =>
  FLAGS.some((flag) => properties[flag]?.type === 'boolean');

/** Returns whether an object hides its secrets: always, unless it can show them and no flag says otherwise. */
export const hidesSecrets = (schema: JsonSchema, fields: Readonly<Record<string, unknown>>): boolean =>
  !canShowSecrets(schema) || FLAGS.some((flag) => fields[flag] === true);

/** A schema with variants, of which a value fits one. */
type SchemaWithVariants = JsonSchema & { readonly anyOf?: readonly JsonSchema[] };

/** A secret in a value. */
export interface Secret {
  readonly kind: SecretKind;
  /** Undefined: the value does not contain the field. */
  readonly value: unknown;
  readonly path: Violation['path'];
  /** Whether the object around it hides it. */
  readonly isHidden: boolean;
}

/** Returns a copy of a value with changed secrets. `change` returns the new value; undefined omits the field. */
export function mapSecrets(
  schema: SchemaWithVariants,
  value: unknown,
  change: (secret: Secret) => unknown,
  path: Violation['path'] = [],
): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item, index) => mapSecrets(items, item, change, [...path, index])) : value;
  }
  if (!isObject(value)) return value;
  const changed: Record<string, unknown> = { ...value };
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const [here, kind, isPresent] = [[...path, name], field['x-secret'], Object.hasOwn(value, name)];
    if (kind === undefined) {
      if (isPresent) changed[name] = mapSecrets(field, value[name], change, here);
      continue;
    }
    const isHidden = hidesSecrets(schema, value);
    const secret = change({ kind, value: value[name], path: here, isHidden });
    if (secret !== undefined) changed[name] = secret;
    else delete changed[name];
  }
  return (schema.anyOf ?? []).reduce<unknown>(
    (all, variant) => mapSecrets(variant, all, change, path),
    changed,
  );
}
