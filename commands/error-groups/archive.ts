/** `sonde error-groups archive`: archives error groups (endpoint 11). */
import { EXIT } from '../../src/base/exits.ts';
import { argumentList, defineCommand, flag } from '../../src/cli/framework/index.ts';
import { changeAll } from '../../src/cli/resource-commands/change-all.ts';
import { errorGroups } from '../../src/cli/resources/error-groups.ts';
import { updateErrorGroup } from '../../src/contract/index.ts';

export const command = defineCommand({
  name: 'error-groups archive',
  summary: 'Archive error groups until the error recurs, or permanently',
  endpoint: updateErrorGroup,
  arguments: {
    ids: argumentList('IDs of the error groups; - reads them from stdin', { param: 'id', of: 'error-group' }),
  },
  options: { forEver: flag('Archive permanently, even if the error recurs') },
  flags: { body: 'own' },
  examples: [
    { line: 'error-groups archive 9f3c1a7e', does: 'Archive a group until the error recurs' },
    {
      line: 'error-groups archive 9f3c1a7e 1b2d4c6f --for-ever --yes',
      does: 'Archive two groups permanently, without confirmation',
    },
  ],
  exits: [[EXIT.declined, 'confirmation declined; nothing was changed']],
  makeBody: (_given, { options }) =>
    options.forEver ? { archiveForEver: true } : { archivedUntilNextEvent: true },
  run: (deps, line) =>
    changeAll(deps, line, {
      send: async (input, api) => (await api.call(updateErrorGroup, input, { signal: deps.signal })).body,
      resource: errorGroups,
      labels: {
        verb: line.options.forEver ? 'Permanently archive' : 'Archive',
        doing: 'Archiving',
        done: line.options.forEver ? 'archived permanently' : 'archived until the error recurs',
      },
      undo: ['error-groups', 'unarchive'],
    }),
});
