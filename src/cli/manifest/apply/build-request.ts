/** Builds the requests that create and update a planned resource. */
import { isObject, type JsonObject } from '../../../base/object.ts';
import { withSentValues } from '../../../contract/defaults.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { DEPENDENT_FIELDS } from '../../edit/partial-update.ts';
import { toRequestBody } from '../../edit/to-request.ts';
import { kindOf, type Section } from '../kinds.ts';
import type { WantedResource } from '../plan/change.ts';
import { clearedValue, emptyValue } from '../plan/describe.ts';
import { toManifestField } from '../references.ts';
import type { FieldDifference } from '../state/compare.ts';
import { toRequest } from '../to-request.ts';

/** Returns the ID of the resource with a name. */
export type IdOf = (name: unknown, section: Section) => unknown;

export const createBody = ({ entry, body }: WantedResource, idOf: IdOf): JsonObject =>
  toRequest(entry.section, body, idOf);

/**
 * Returns the whole resource, as deployments require it: the fields that the files declare; of the others, those that have
 * another value than their default are cleared, if a value does that.
 */
export function updateBody(
  { entry, body, remote = {}, current = {} }: WantedResource,
  fields: readonly FieldDifference[],
  idOf: IdOf,
): JsonObject {
  const { section } = entry;
  const kind = kindOf(section);
  const schema = kind.update(remote).endpoint.body ?? {};
  const declared = toRequest(section, body, idOf);
  const present = toRequestBody(schema, remote) as JsonObject;
  const changed = new Set(fields.map(({ path: [name] }) => name));
  const fieldOf = (name: string): unknown => {
    const field = String(toManifestField(name));
    if (kind.merges?.includes(name))
      return withClearedFields(schema.properties?.[name], declared[name], present[name]);
    if (declared[name] !== undefined) return keepChosen(name, declared[name], present[name]);
    // Checks and groups have the subscriptions of a channel.
    if (name === 'subscriptions') return undefined;
    // What a left-out strategy means depends on the wanted double check.
    const isImplied = section === 'checks' && name === 'retryStrategy' && present[name] !== undefined;
    if (!(field in current) && !isImplied) return present[name];
    const cleared = clearedValue(section, { ...body, checkType: remote.checkType }, field);
    if (changed.has(DEPENDENT_FIELDS[name] ?? '')) return undefined;
    return cleared === undefined && !kind.replaces ? present[name] : cleared;
  };
  const sent = Object.keys(schema.properties ?? {}).flatMap((name) => {
    const value = fieldOf(name);
    const isSent = value !== undefined && (!kind.sendsChanges || changed.has(String(toManifestField(name))));
    return isSent ? [[name, value]] : [];
  });
  return withSentValues(schema, Object.fromEntries(sent));
}

/** Adds values that clear the fields that a resource has and the files leave out, because an update merges the object. */
function withClearedFields(schema: JsonSchema | undefined, declared: unknown, present: unknown): unknown {
  if (!isObject(present)) return declared;
  const wanted = isObject(declared) ? declared : {};
  const cleared = Object.keys(present).flatMap((name): [string, unknown][] => {
    const value = name in wanted ? undefined : emptyValue(schema?.properties?.[name]);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...wanted, ...Object.fromEntries(cleared) };
}

/** Adds the token of a heartbeat, which the files may leave out. */
const keepChosen = (name: string, declared: unknown, present: unknown): unknown =>
  name === 'heartbeat' && isObject(declared) && isObject(present) && present.pingToken !== undefined
    ? { pingToken: present.pingToken, ...declared }
    : declared;
