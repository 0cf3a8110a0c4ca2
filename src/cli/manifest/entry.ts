/** One of a kind as a seed file has it: what a request may say, without ids and without what was never set. */
import { isObject } from '../../base/object.ts';
import type { JsonSchema } from '../../contract/index.ts';
import { toRequestBody } from '../edit/to-request.ts';
import { type Fields, type Kind, kindOf, type Section } from './kinds.ts';

/** Null says something where there is a default, where it is required, or where nothing else can say it. */
const isExported = (name: string, value: unknown, { properties, required = [] }: JsonSchema): boolean =>
  value !== undefined &&
  (value !== null ||
    properties?.[name]?.default !== undefined ||
    required.includes(name) ||
    name === 'retryStrategy');

/** Cards are known by their place: their ids are the service's own. */
const withoutCardIds = (cards: unknown): unknown =>
  Array.isArray(cards)
    ? cards.map((card: unknown) => {
        if (!isObject(card)) return card;
        const { id: _id, statusPageId: _page, ...rest } = card;
        return rest;
      })
    : cards;

/** What stands, cut down to what a request that makes it may say. */
export function toManifestEntry(section: Section, standing: Fields): Fields {
  const kind: Kind = kindOf(section);
  const schema = kind.create(standing)?.body ?? {};
  const form = toRequestBody(schema, standing) as Fields;
  const filled = kind.fill?.(standing) ?? {};
  return Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) => {
      if (!isExported(name, value, schema)) return [];
      if (section === 'checks' && name in filled && !(name in standing)) return [];
      // Who alerts a channel says so itself.
      if (section === 'alertChannels' && name === 'subscriptions') return [];
      return [[name, section === 'statusPages' && name === 'cards' ? withoutCardIds(value) : value]];
    }),
  );
}
