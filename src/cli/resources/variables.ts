/** Describes environment variables for their commands. */
import { getVariable, type ResponseOf } from '../../contract/index.ts';
import type { Column } from '../../terminal/index.ts';
import type { Resource } from './resource.ts';

type Variable = ResponseOf<typeof getVariable>;

const visibility: Column<Variable> = {
  key: 'hidden',
  value: ({ secret, locked }) => (secret ? 'secret' : locked ? 'locked' : ''),
  priority: 70,
};

export const variables = {
  commandGroup: 'variables',
  noun: 'variable',
  plural: 'variables',
  catalogKey: 'variable',
  param: 'key',
  placeholder: 'key',
  get: getVariable,
  sampleId: 'SHOP_URL',
  columns: [
    { key: 'key', kind: 'id' },
    { key: 'value', priority: 60, minWidth: 16 },
    visibility,
    {
      key: 'updated_at',
      header: 'changed',
      value: (variable) => variable.updated_at ?? variable.created_at,
      kind: 'time',
    },
  ],
  fields: [
    { key: 'key', kind: 'id' },
    { key: 'value' },
    { key: 'secret', kind: 'boolean' },
    { key: 'locked', kind: 'boolean' },
    { key: 'created_at', header: 'created', kind: 'time' },
    { key: 'updated_at', header: 'updated', kind: 'time' },
  ],
  idOf: ({ key }) => key,
  nextCommands: ({ key }) => [['Change the value', 'variables', 'set', key]],
} satisfies Resource<Variable>;
