/** Who may read a status page is no part of its request: a seed sets it by an endpoint of its own. */
import type { Fields, Section } from './kinds.ts';

const ACCESS_FIELDS = ['isPrivate', 'whiteLabel'] as const;
const isAccessField = (name: string): boolean => (ACCESS_FIELDS as readonly string[]).includes(name);

/** What the file says of it, where it is more than the default. */
export const exportAccess = (section: Section, standing: Fields): Fields =>
  section === 'statusPages'
    ? Object.fromEntries(ACCESS_FIELDS.flatMap((name) => (standing[name] === true ? [[name, true]] : [])))
    : {};

/** A body as its own request takes it. */
export const withoutAccess = (section: Section, body: Fields): Fields =>
  section === 'statusPages'
    ? Object.fromEntries(
        // What is neither true nor false is left for the contract to refuse.
        Object.entries(body).filter(([name, value]) => !isAccessField(name) || typeof value !== 'boolean'),
      )
    : body;

/** What is to be set so that a page is as the file says; undefined where it is so. */
export function planAccess(section: Section, body: Fields, standing: Fields | undefined): Fields | undefined {
  if (section !== 'statusPages') return undefined;
  const change = ACCESS_FIELDS.flatMap((name) =>
    typeof body[name] === 'boolean' && body[name] !== (standing?.[name] ?? false) ? [[name, body[name]]] : [],
  );
  return change.length === 0 ? undefined : Object.fromEntries(change);
}
