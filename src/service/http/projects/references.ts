/** Replaces references between the resources of a project, `{"ref": LOGICAL_ID}`, by the IDs of the resources. */
import { isObject } from '../../../base/object.ts';
import type { Violation } from '../../../contract/index.ts';
import { referenceOf } from '../../../contract/page-components.ts';
import { assertValid, violation } from '../api/problem.ts';

/** The field of a payload that contains a reference → the type of resource that it refers to. */
const TYPE_OF_FIELD: Readonly<Record<string, string>> = {
  alertChannelId: 'alert-channel',
  checkId: 'check',
  components: 'status-page-component',
  groupId: 'check-group',
  privateLocationId: 'private-location',
  serviceId: 'status-page-service',
  services: 'status-page-service',
  setupSnippetId: 'snippet',
  tearDownSnippetId: 'snippet',
};

/** Returns the key of a resource in a project, which is unique. */
export const resourceKey = (type: string, logicalId: string): string => `${type} ${logicalId}`;

export type ResourceIds = ReadonlyMap<string, string | number>;

/**
 * Returns the payload with IDs instead of references. `more`: the fields of its type that contain references, too. Throws
 * `Problem` 400 for those that match no resource of the project.
 */
export function resolveReferences<T>(
  payload: T,
  ids: ResourceIds,
  more: Readonly<Record<string, string>> = {},
): T {
  const typeOf = (field: string) => more[field] ?? TYPE_OF_FIELD[field];
  const violations: Violation[] = [];
  const resolve = (value: unknown, path: Violation['path'], type: string | undefined): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => resolve(item, [...path, index], type));
    if (!isObject(value)) return value;
    const logicalId = referenceOf(value);
    if (logicalId !== undefined && type !== undefined) {
      const id = ids.get(resourceKey(type, logicalId));
      if (id === undefined)
        violations.push(
          violation('body', path, 'reference', `does not match any ${type} of the project: "${logicalId}"`),
        );
      return id;
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, resolve(item, [...path, name], typeOf(name))]),
    );
  };
  const resolved = resolve(payload, [], undefined) as T;
  assertValid(violations);
  return resolved;
}
