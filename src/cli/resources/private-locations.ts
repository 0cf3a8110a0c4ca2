/** Describes private locations for their commands. */
import { getPrivateLocation, type ResponseOf } from '../../contract/index.ts';
import { table } from '../../terminal/card/card.ts';
import type { Column } from '../../terminal/index.ts';
import type { Resource } from './resource.ts';

type PrivateLocation = ResponseOf<typeof getPrivateLocation>;
type Key = PrivateLocation['keys'][number];

const agents: Column<PrivateLocation> = { key: 'agentCount', header: 'agents', kind: 'number', priority: 70 };
const lastSeen: Column<PrivateLocation> = {
  key: 'lastSeen',
  header: 'last seen',
  kind: 'time',
  priority: 60,
};
/** Returns the key, which the API returns only at its creation; otherwise the masked key. */
const formatKey = ({ rawKey, maskedKey }: Key): string => rawKey ?? maskedKey;

/** The note after a new key. */
export const KEY_SHOWN_ONCE = 'sonde prints this key only once. Store it as API_KEY of the agent.';

export const privateLocations = {
  commandGroup: 'private-locations',
  noun: 'private location',
  plural: 'private locations',
  catalogKey: 'private-location',
  param: 'id',
  get: getPrivateLocation,
  sampleId: '2f4e6d8c-0a1b-4c3d-9e5f-7a6b8c9d0e1f',
  columns: [
    { key: 'id', kind: 'id', isShort: true },
    { key: 'name', priority: 80, minWidth: 24 },
    { key: 'slugName', header: 'slug', priority: 90 },
    agents,
    lastSeen,
    { key: 'keys', value: ({ keys }) => keys.length, kind: 'number', priority: 40 },
  ],
  fields: [
    { key: 'id', kind: 'id' },
    { key: 'name' },
    { key: 'slugName', header: 'slug' },
    agents,
    lastSeen,
    { key: 'proxyUrl', header: 'proxy' },
    { key: 'icon' },
    { key: 'muted', header: 'alerts muted' },
    { key: 'keys', value: ({ keys }) => keys.map(formatKey), kind: 'list', isRedundant: true },
    { key: 'created_at', header: 'created', kind: 'time' },
    { key: 'updated_at', header: 'updated', kind: 'time' },
  ],
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  sections: ({ keys }) => [
    table({
      heading: 'Agent keys',
      columns: [
        { key: 'key', value: formatKey, kind: 'id' as const },
        { key: 'id', header: 'key ID', kind: 'id' as const, priority: 90 },
        { key: 'created_at', header: 'created', kind: 'time' as const },
      ],
      rows: keys,
    }),
  ],
  nextCommands: ({ id, slugName }) => [
    ['Create another key', 'private-locations', 'create-key', id],
    ['Create a check there', 'checks', 'create-dns', '--private-locations', slugName],
  ],
} satisfies Resource<PrivateLocation>;
