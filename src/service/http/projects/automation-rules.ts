/** Validates the automation rules of a project before their references become IDs. */
import { isObject } from '../../../base/object.ts';
import { referenceOf } from '../../../contract/page-components.ts';
import { Problem } from '../api/problem.ts';
import { isGroup } from './components.ts';
import type { DeclaredResource } from './links.ts';

const AUTOMATION_RULE = 'status-page-automation-rule';

/** Throws `Problem` 400 for a rule that affects a group of components: a group is a card, and cards store no state. */
export function assertRulesWithoutGroups(declared: readonly DeclaredResource[]): void {
  const groups = new Set(declared.filter(isGroup).map(({ logicalId }) => logicalId));
  for (const { type, logicalId, payload } of declared) {
    if (type !== AUTOMATION_RULE || !Array.isArray(payload?.components)) continue;
    const index = payload.components.findIndex(
      (component: unknown) => isObject(component) && groups.has(referenceOf(component.componentId) ?? ''),
    );
    if (index < 0) continue;
    const field = `components[${index}].componentId`;
    throw new Problem(
      400,
      `${type} "${logicalId}": ${field} must not be a group: list the components of the group`,
      { attributes: { resource: { type, logicalId } } },
    );
  }
}
