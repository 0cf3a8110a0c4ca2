/** Who may read a status page is no part of its request: a seed sets it by an endpoint of its own. */
import type { Fields, Section } from './kinds.ts';

const NAMES = ['isPrivate', 'whiteLabel'] as const;
const isAccess = (name: string): boolean => (NAMES as readonly string[]).includes(name);

/** What the file says of it, where it is more than the default. */
export const accessShown = (section: Section, standing: Fields): Fields =>
  section === 'statusPages'
    ? Object.fromEntries(NAMES.flatMap((name) => (standing[name] === true ? [[name, true]] : [])))
    : {};

/** A body as its own request takes it. */
export const withoutAccess = (section: Section, body: Fields): Fields =>
  section === 'statusPages'
    ? Object.fromEntries(
        // What is neither true nor false is left for the contract to refuse.
        Object.entries(body).filter(([name, value]) => !isAccess(name) || typeof value !== 'boolean'),
      )
    : body;

/** What is to be set so that a page is as the file says; undefined where it is so. */
export function accessChange(
  section: Section,
  body: Fields,
  standing: Fields | undefined,
): Fields | undefined {
  if (section !== 'statusPages') return undefined;
  const change = NAMES.flatMap((name) =>
    typeof body[name] === 'boolean' && body[name] !== (standing?.[name] ?? false) ? [[name, body[name]]] : [],
  );
  return change.length === 0 ? undefined : Object.fromEntries(change);
}
