/** Converts an entry of a manifest to the body of a request. */
import type { JsonObject } from '../../base/object.ts';
import { upperCaseColours } from '../resources/status-pages.ts';
import { kindOf, type Section } from './kinds.ts';
import type { Path } from './manifest.ts';
import { withoutAccess } from './manifest-entry.ts';
import { namesToIds } from './references.ts';

/** Returns the body. `idOf`: returns the ID for a name; undefined omits it. */
export function toRequest(
  section: Section,
  body: JsonObject,
  idOf: (name: unknown, section: Section, path: Path) => unknown,
): JsonObject {
  const kind = kindOf(section);
  const { checkType: _, ...fields } = withoutAccess(section, body);
  const request = namesToIds(kind.create(body)?.body ?? {}, { ...kind.fill?.(body), ...fields }, idOf);
  return section === 'statusPages' && 'themeColors' in request
    ? { ...request, themeColors: upperCaseColours(request.themeColors) }
    : request;
}

/** Returns an ID for a resource that does not exist yet, of the type that IDs of its section have. */
export const placeholderId = (section: Section, index = 0): unknown =>
  ['groups', 'alertChannels', 'snippets'].includes(section)
    ? -1 - index
    : `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
