/** Handles the credentials of alert channels: an export contains their masks, and a mask in a file keeps the stored value. */
import { isObject, type JsonObject } from '../../base/object.ts';
import { isMask, mapCredentials, maskCredential, maskCredentials } from '../../contract/mask-credential.ts';
import type { Section } from './kinds.ts';
import { type HiddenValue, valueName } from './write-only-values.ts';

/** Returns the key of a value in a file of values. It ends with the digits of the mask, because channels may share a name. */
const nameOfCredential = (section: Section, body: JsonObject, field: string, mask: string): string =>
  valueName(section, body, `${field.replace(/[A-Z]/g, '_$&')} ${mask.slice(-6)}`);

/** Returns a resource with masks for its credentials. */
export const hideCredentials = (section: Section, body: JsonObject): JsonObject =>
  section === 'alertChannels' && isObject(body.config)
    ? { ...body, config: maskCredentials(body.type, body.config) }
    : body;

/** Lists the credentials of a resource, which exports mask. */
export function listCredentials(section: Section, row: JsonObject): readonly HiddenValue[] {
  if (section !== 'alertChannels' || !isObject(row.config)) return [];
  const found: HiddenValue[] = [];
  mapCredentials(row.type, row.config, (credential, field) => {
    const mask = maskCredential(credential);
    if (isMask(mask)) found.push({ name: nameOfCredential(section, row, field, mask), label: field });
    return credential;
  });
  return found;
}

/** A mask that stands for no known value. */
export interface MissingCredential {
  readonly field: string;
  /** The key of its value in a file of values. */
  readonly name: string;
}

/**
 * Replaces masks by the values that the user gives, or by those of the current resource. `values`: from the user, by key.
 * `remote`: the current resource.
 */
export function fillCredentials(
  section: Section,
  body: JsonObject,
  remote: JsonObject | undefined,
  values: ReadonlyMap<string, string>,
): { readonly body: JsonObject; readonly missing: readonly MissingCredential[] } {
  const missing: MissingCredential[] = [];
  const { config, type } = body;
  if (section !== 'alertChannels' || !isObject(config)) return { body, missing };
  const current = remote?.type === type && isObject(remote?.config) ? remote.config : {};
  const filled = mapCredentials(type, config, (credential, field) => {
    if (!isMask(credential)) return credential;
    const name = nameOfCredential(section, body, field, credential);
    const value = values.get(name) ?? current[field];
    if (typeof value === 'string') return value;
    missing.push({ field, name });
    return credential;
  });
  return { body: { ...body, config: filled }, missing };
}
