/** Handles the access settings of status pages, which a separate endpoint sets. */
import type { Fields, Section } from './kinds.ts';

const ACCESS_FIELDS = ['isPrivate', 'whiteLabel'] as const;
const isAccessField = (name: string): boolean => (ACCESS_FIELDS as readonly string[]).includes(name);

/** Returns the settings that differ from the default, for a manifest. */
export const exportAccess = (section: Section, remote: Fields): Fields =>
  section === 'statusPages'
    ? Object.fromEntries(ACCESS_FIELDS.flatMap((name) => (remote[name] === true ? [[name, true]] : [])))
    : {};

/** Returns a body without access settings, as the page's own request accepts it. */
export const withoutAccess = (section: Section, body: Fields): Fields =>
  section === 'statusPages'
    ? Object.fromEntries(
        // Validation reports a value that is no boolean.
        Object.entries(body).filter(([name, value]) => !isAccessField(name) || typeof value !== 'boolean'),
      )
    : body;

/** Returns the settings to change. Undefined: none. */
export function planAccess(section: Section, body: Fields, remote: Fields | undefined): Fields | undefined {
  if (section !== 'statusPages') return undefined;
  const change = ACCESS_FIELDS.flatMap((name) =>
    typeof body[name] === 'boolean' && body[name] !== (remote?.[name] ?? false) ? [[name, body[name]]] : [],
  );
  return change.length === 0 ? undefined : Object.fromEntries(change);
}
