/** Splits off the access settings of status pages, which another endpoint sets, and the IDs of cards. */
import { isObject, type JsonObject } from '../../base/object.ts';
import type { Section } from './kinds.ts';

/** Removes the IDs of cards, which the service assigns: the position identifies a card. */
export const withoutCardIds = (cards: unknown): unknown =>
  Array.isArray(cards)
    ? cards.map((card: unknown) => {
        if (!isObject(card)) return card;
        const { id: _id, statusPageId: _page, ...rest } = card;
        return rest;
      })
    : cards;

const ACCESS_FIELDS = ['isPrivate', 'whiteLabel'] as const;
const isAccessField = (name: string): boolean => (ACCESS_FIELDS as readonly string[]).includes(name);

/** Returns the settings that differ from the default, for a manifest. */
export const exportAccess = (section: Section, remote: JsonObject): JsonObject =>
  section === 'statusPages'
    ? Object.fromEntries(ACCESS_FIELDS.flatMap((name) => (remote[name] === true ? [[name, true]] : [])))
    : {};

/** Returns a body without access settings, as the page's own request accepts it. */
export const withoutAccess = (section: Section, body: JsonObject): JsonObject =>
  section === 'statusPages'
    ? Object.fromEntries(Object.entries(body).filter(([name]) => !isAccessField(name)))
    : body;

/** Returns the access settings whose value is no switch. */
export const findInvalidAccess = (section: Section, body: JsonObject): readonly string[] =>
  section === 'statusPages'
    ? ACCESS_FIELDS.filter((name) => body[name] !== undefined && typeof body[name] !== 'boolean')
    : [];

/** Returns the settings to change. Undefined: none. */
export function planAccess(
  section: Section,
  body: JsonObject,
  remote: JsonObject | undefined,
): JsonObject | undefined {
  if (section !== 'statusPages') return undefined;
  const change = ACCESS_FIELDS.flatMap((name) =>
    (body[name] === true) === (remote?.[name] === true) ? [] : [[name, body[name] === true]],
  );
  return change.length === 0 ? undefined : Object.fromEntries(change);
}
