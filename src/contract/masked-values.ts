/** Finds masks that a client sent back as values: stored, they would replace the secret that they hide. */
import { isObject } from '../base/object.ts';
import type { JsonSchema, Violation } from './endpoint.ts';
import { holdsMask, isMask } from './mask-credential.ts';
import { hidesSecrets } from './secrets.ts';

/** A text that is nothing but a mask. */
const ONLY_MASK = /^\*{3,}$/;

/** Returns whether the service restores the mask afterwards, and refuses it if it is not that of the stored value. */
const hasKnownMask = (field: JsonSchema, value: unknown): boolean =>
  field['x-secret'] === 'masked' && isMask(value);

/**
 * Returns whether the value of a write-only field is a mask. A field that its owner can show, such as a variable, may
 * contain asterisks unless it is hidden.
 */
function isMaskedValue(value: unknown, owner: JsonSchema, fields: Readonly<Record<string, unknown>>) {
  if (hidesSecrets(owner, fields)) return holdsMask(value);
  return typeof value === 'string' && (ONLY_MASK.test(value) || isMask(value));
}

/** Returns a violation for each write-only field of a body whose value contains a mask. */
export function findMasks(
  schema: JsonSchema & { readonly anyOf?: readonly JsonSchema[] },
  body: unknown,
  path: Violation['path'] = [],
): readonly Violation[] {
  const ofVariants = (schema.anyOf ?? []).flatMap((variant) => findMasks(variant, body, path));
  if (Array.isArray(body)) {
    const { items } = schema;
    return [
      ...ofVariants,
      ...(items ? body.flatMap((item, index) => findMasks(items, item, [...path, index])) : []),
    ];
  }
  if (!isObject(body)) return ofVariants;
  const ofFields = Object.entries(schema.properties ?? {}).flatMap(([name, field]): readonly Violation[] => {
    const [value, place] = [body[name], [...path, name]];
    if (!field.writeOnly) return findMasks(field, value, place);
    if (!isMaskedValue(value, schema, body) || hasKnownMask(field, value)) return [];
    const message = 'must be the whole value, or exactly the mask of the stored one: *** hides a value';
    return [{ in: 'body', path: place, keyword: 'mask', message, origin: 'gaps' }];
  });
  return [...ofVariants, ...ofFields];
}
