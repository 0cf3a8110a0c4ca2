/** Describes snippets for their commands. */
import { getSnippet, type ResponseOf } from '../../contract/index.ts';
import type { Resource } from './resource.ts';

type Snippet = ResponseOf<typeof getSnippet>;

const countLines = ({ script }: Snippet): number => script.split('\n').length;

export const snippets = {
  commandGroup: 'snippets',
  noun: 'snippet',
  plural: 'snippets',
  catalogKey: 'snippet',
  param: 'id',
  get: getSnippet,
  sampleId: '1201',
  columns: [
    { key: 'id', kind: 'id' },
    { key: 'name', priority: 90, minWidth: 24 },
    { key: 'lines', value: countLines, kind: 'number', priority: 40 },
    {
      key: 'updated_at',
      header: 'changed',
      value: (snippet) => snippet.updated_at ?? snippet.created_at,
      kind: 'time',
    },
  ],
  fields: [
    { key: 'id', kind: 'id' },
    { key: 'name' },
    { key: 'lines', value: countLines, kind: 'number' },
    { key: 'created_at', header: 'created', kind: 'time' },
    { key: 'updated_at', header: 'updated', kind: 'time' },
  ],
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  nextCommands: ({ id }) => [['Print the script', 'snippets', 'get', String(id), '--jq', '.script']],
} satisfies Resource<Snippet>;
