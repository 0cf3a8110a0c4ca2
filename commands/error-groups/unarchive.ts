/** `sonde error-groups unarchive`: unarchives error groups (endpoint 11). */
import { EXIT } from '../../src/base/exits.ts';
import { argumentList, defineCommand } from '../../src/cli/framework/index.ts';
import { changeAll } from '../../src/cli/resource-commands/change-all.ts';
import { errorGroups } from '../../src/cli/resources/error-groups.ts';
import { updateErrorGroup } from '../../src/contract/index.ts';

export const command = defineCommand({
  name: 'error-groups unarchive',
  summary: 'Unarchive error groups',
  endpoint: updateErrorGroup,
  arguments: {
    ids: argumentList('IDs of the error groups; - reads them from stdin', { param: 'id', of: 'error-group' }),
  },
  flags: { body: 'own' },
  examples: [{ line: 'error-groups unarchive 9f3c1a7e', does: 'Unarchive a group' }],
  exits: [[EXIT.declined, 'confirmation declined; nothing was changed']],
  makeBody: () => ({ archiveForEver: false, archivedUntilNextEvent: false }),
  run: (deps, line) =>
    changeAll(deps, line, {
      send: async (input, api) => (await api.call(updateErrorGroup, input, { signal: deps.signal })).body,
      resource: errorGroups,
      labels: { verb: 'Unarchive', doing: 'Unarchiving', done: 'unarchived' },
      undo: ['error-groups', 'archive'],
    }),
});
