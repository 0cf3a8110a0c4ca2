/** `sonde error-groups archive`: archives error groups (endpoint 11). */
import { EXIT } from '../../src/base/exits.ts';
import { updateErrorGroup } from '../../src/contract/index.ts';
import { argumentList, defineCommand, flag } from '../kernel/index.ts';
import { archive } from '../shared/bulk/archiving.ts';

export const command = defineCommand({
  name: 'error-groups archive',
  summary: 'Archive error groups until they happen again, or for ever',
  endpoint: updateErrorGroup,
  arguments: {
    ids: argumentList('Ids of the error groups; - reads them from stdin', { param: 'id', of: 'error-group' }),
  },
  options: { forEver: flag('Keep them archived whatever comes') },
  flags: { body: 'own' },
  examples: [
    { line: 'error-groups archive 9f3c1a7e', does: 'archives a group until the error happens again' },
    { line: 'error-groups archive 9f3c1a7e 1b2d4c6f --for-ever --yes', does: 'archives two for good' },
  ],
  exits: [[EXIT.declined, 'a person answered no; nothing was changed']],
  makeBody: (_given, { options }) =>
    options.forEver ? { archiveForEver: true } : { archivedUntilNextEvent: true },
  run: (deps, line) =>
    archive(deps, line, {
      verb: line.options.forEver ? 'Archive for ever' : 'Archive',
      doing: 'Archiving',
      undo: ['error-groups', 'unarchive'],
      done: line.options.forEver ? 'archived for ever' : 'archived until it happens again',
    }),
});
