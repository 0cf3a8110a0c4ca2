/** Converts a resource of the service to an entry of a manifest, without IDs and unset fields. */
import { isObject, type JsonObject } from '../../base/object.ts';
import type { JsonSchema } from '../../contract/index.ts';
import { toRequestBody } from '../edit/to-request.ts';
import { type Kind, kindOf, type Section } from './kinds.ts';

/** Whether a value is part of the entry. Null has a meaning if the field has a default or is required, and for retries. */
const isExported = (name: string, value: unknown, { properties, required = [] }: JsonSchema): boolean =>
  value !== undefined &&
  (value !== null ||
    properties?.[name]?.default !== undefined ||
    required.includes(name) ||
    name === 'retryStrategy');

/** Removes the IDs of cards, which the service assigns: the position identifies a card. */
export const withoutCardIds = (cards: unknown): unknown =>
  Array.isArray(cards)
    ? cards.map((card: unknown) => {
        if (!isObject(card)) return card;
        const { id: _id, statusPageId: _page, ...rest } = card;
        return rest;
      })
    : cards;

/** Returns the fields that a create request accepts. */
export function toManifestEntry(section: Section, remote: JsonObject): JsonObject {
  const kind: Kind = kindOf(section);
  const schema = kind.create(remote)?.body ?? {};
  const form = toRequestBody(schema, remote) as JsonObject;
  const filled = kind.fill?.(remote) ?? {};
  return Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) => {
      if (!isExported(name, value, schema)) return [];
      if (section === 'checks' && name in filled && !(name in remote)) return [];
      // Checks and groups list their own subscriptions.
      if (section === 'alertChannels' && name === 'subscriptions') return [];
      return [[name, section === 'statusPages' && name === 'cards' ? withoutCardIds(value) : value]];
    }),
  );
}

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
