/** Private locations, as their commands speak of them. */
import type { getPrivateLocation, ResponseOf } from '../../contract/index.ts';
import { table } from '../../terminal/card/card.ts';
import type { Column } from '../../terminal/index.ts';
import type { Resource } from './resource.ts';

type PrivateLocation = ResponseOf<typeof getPrivateLocation>;
type Key = PrivateLocation['keys'][number];

const agents: Column<PrivateLocation> = { key: 'agentCount', header: 'agents', kind: 'number', priority: 70 };
const seen: Column<PrivateLocation> = { key: 'lastSeen', header: 'last seen', kind: 'time', priority: 60 };
/** The key itself where it is shown: once, when it is made. */
const keyText = ({ rawKey, maskedKey }: Key): string => rawKey ?? maskedKey;

/** Said wherever a key is shown. */
export const KEEP_IT = 'sonde prints this key only once. Store it as API_KEY of the agent.';

export const privateLocations: Resource<PrivateLocation> = {
  word: 'private-locations',
  noun: 'private location',
  plural: 'private locations',
  thing: 'private-location',
  param: 'id',
  columns: [
    { key: 'id', kind: 'id', isShort: true },
    { key: 'name', priority: 80, minWidth: 24 },
    { key: 'slugName', header: 'slug', priority: 90 },
    agents,
    seen,
    { key: 'keys', value: ({ keys }) => keys.length, kind: 'number', priority: 40 },
  ],
  fields: [
    { key: 'id', kind: 'id' },
    { key: 'name' },
    { key: 'slugName', header: 'slug' },
    agents,
    seen,
    { key: 'proxyUrl', header: 'proxy' },
    { key: 'icon' },
    { key: 'keys', value: ({ keys }) => keys.map(keyText), kind: 'list', isRedundant: true },
    { key: 'created_at', header: 'created', kind: 'time' },
    { key: 'updated_at', header: 'updated', kind: 'time' },
  ],
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  sections: ({ keys }) => [
    table({
      heading: 'Agent keys',
      columns: [
        { key: 'key', value: keyText, kind: 'id' as const },
        { key: 'id', header: 'key ID', kind: 'id' as const, priority: 90 },
        { key: 'created_at', header: 'created', kind: 'time' as const },
      ],
      rows: keys,
    }),
  ],
  leadsTo: ({ id, slugName }) => [
    ['Create another key', 'private-locations', 'create-key', id],
    ['Create a check there', 'checks', 'create-dns', '--private-locations', slugName],
  ],
};
