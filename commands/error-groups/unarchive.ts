/** `sonde error-groups unarchive`: takes error groups back from the archive (endpoint 11). */
import { EXIT } from '../../src/base/exits.ts';
import { updateErrorGroup } from '../../src/contract/index.ts';
import { argumentList, defineCommand } from '../kernel/index.ts';
import { archive } from '../shared/bulk/archiving.ts';

export const command = defineCommand({
  name: 'error-groups unarchive',
  summary: 'Take error groups back from the archive',
  endpoint: updateErrorGroup,
  arguments: {
    ids: argumentList('Ids of the error groups; - reads them from stdin', { param: 'id', of: 'error-group' }),
  },
  flags: { body: 'own' },
  examples: [{ line: 'error-groups unarchive 9f3c1a7e', does: 'shows the group among the open ones again' }],
  exits: [[EXIT.declined, 'a person answered no; nothing was changed']],
  makeBody: () => ({ archiveForEver: false, archivedUntilNextEvent: false }),
  run: (deps, line) =>
    archive(deps, line, {
      verb: 'Unarchive',
      doing: 'Unarchiving',
      done: 'no longer archived',
      undo: ['error-groups', 'archive'],
    }),
});
